import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link, NavLink, Outlet, useLocation } from "react-router-dom";

import { useOtherTabs } from "@/api/otherTabs";
import { can, useSignOut } from "@/api/session";
import type { Me } from "@/api/types";
import { useWaiting } from "@/api/waiting";
import { Button } from "@/components/ui/Button";
import { Icon } from "@/components/ui/Icon";
import { AssistantPanel } from "@/features/assistant/AssistantPanel";
import { cn } from "@/lib/cn";
import { useMediaQuery } from "@/lib/hooks";
import { recall, remember } from "@/lib/storage";

import { Brand } from "./Brand";
import { DemoBanner } from "./DemoBanner";
import { LanguageSwitch } from "./LanguageSwitch";

const CLOSED_KEY = "panelClosed";

/** Header, page and assistant. The assistant is above the routes: no navigation touches it. */
export function AppShell({ me }: { me: Me }) {
  const sheet = useMediaQuery("(max-width: 767px)");
  const { pathname } = useLocation();
  useOtherTabs();
  const [wide, setWide] = useState(() => recall(CLOSED_KEY) !== "yes");
  const [sheetAt, setSheetAt] = useState<string>();
  // A sheet covers the page, so following a link out of it closes it.
  const open = sheet ? sheetAt === pathname : wide;
  const toggle = () => {
    if (sheet) {
      setSheetAt(open ? undefined : pathname);
      return;
    }
    remember(CLOSED_KEY, open ? "yes" : "");
    setWide(!open);
  };
  const covered = sheet && open;
  return (
    <div className="flex h-screen flex-col supports-[height:100dvh]:h-dvh">
      <header inert={covered}>
        {me.demo && <DemoBanner />}
        <HeaderBar me={me} open={open} onToggle={toggle} />
        {pathname.startsWith("/admin/") && <AdminBar me={me} />}
      </header>
      <div className="flex min-h-0 flex-1">
        <main inert={covered} className="min-w-0 flex-1 overflow-y-auto">
          <Outlet />
        </main>
        <AssistantPanel key={me.user.id} me={me} open={open} sheet={sheet} onToggle={toggle} />
      </div>
    </div>
  );
}

type HeaderBarProps = { me: Me; open: boolean; onToggle: () => void };

function HeaderBar({ me, open, onToggle }: HeaderBarProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-surface px-4 py-2">
      <Link to="/deals" className="rounded">
        <Brand compact />
      </Link>
      <nav aria-label={t("nav.main")} className="flex flex-wrap items-center gap-1 max-md:order-last max-md:w-full">
        {can(me, "deal:read") && <Tab to="/deals">{t("deals.title")}</Tab>}
        {can(me, "company:read") && <Tab to="/companies">{t("companies.title")}</Tab>}
        {can(me, "contact:read") && <Tab to="/contacts">{t("contacts.title")}</Tab>}
        {can(me, "quotation:read") && <Tab to="/quotations">{t("quotations.title")}</Tab>}
        {can(me, "task:read") && <Tab to="/tasks">{t("tasks.title")}</Tab>}
        {can(me, "assistant:use") && <WaitingTab />}
        <AdminTab me={me} />
      </nav>
      <div className="ml-auto flex items-center gap-1">
        <LanguageSwitch />
        <SignOut me={me} />
        <Button look={open ? "plain" : "primary"} aria-expanded={open} onClick={onToggle}>
          <Icon name="chat" />
          <span className="max-md:sr-only">{t("assistant.name")}</span>
        </Button>
      </div>
    </div>
  );
}

/** The pages for those who look after the product, and what it takes to see each. */
const ADMIN_PAGES = [
  { to: "/admin/usage", right: "usage:read", title: "usage.title" },
  { to: "/admin/turns", right: "audit:read", title: "turns.title" },
  { to: "/admin/approval-rules", right: "approval-rule:read", title: "rules.title" },
  { to: "/admin/ai-config", right: "ai-config:read", title: "nav.ai" },
] as const;

const adminPages = (me: Me) => ADMIN_PAGES.filter(({ right }) => can(me, right));

/** Leads to the first of the admin pages, which show the others. Who may see one only finds it by its own name. */
function AdminTab({ me }: { me: Me }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [first, ...others] = adminPages(me);
  if (!first) return null;
  return (
    <Tab to={first.to} within={pathname.startsWith("/admin/")}>
      {t(others.length > 0 ? "nav.admin" : first.title)}
    </Tab>
  );
}

function AdminBar({ me }: { me: Me }) {
  const { t } = useTranslation();
  const pages = adminPages(me);
  if (pages.length < 2) return null;
  return (
    <nav aria-label={t("nav.admin")} className="flex flex-wrap items-center gap-1 border-b border-line bg-surface px-4 py-1">
      {pages.map(({ to, title }) => (
        <Tab key={to} to={to}>
          {t(title)}
        </Tab>
      ))}
    </nav>
  );
}

function WaitingTab() {
  const { t } = useTranslation();
  const count = useWaiting().data?.total ?? 0;
  return (
    <Tab to="/waiting">
      {t("waiting.title")}
      {count > 0 && (
        <span className="ml-1.5 rounded-full bg-warn-soft px-1.5 text-xs text-warn">
          <span className="sr-only">{t("waiting.count", { count })}</span>
          <span aria-hidden>{count}</span>
        </span>
      )}
    </Tab>
  );
}

/** A link of a bar. within: the page that is shown lies behind it, though at another address. */
function Tab({ to, within = false, children }: { to: string; within?: boolean; children: ReactNode }) {
  return (
    <NavLink
      to={to}
      className={({ isActive }) =>
        cn(
          "inline-flex min-h-9 items-center rounded-lg px-3 text-sm font-medium hover:bg-raised pointer-coarse:min-h-11",
          (isActive || within) && "bg-accent-soft text-accent-strong",
        )
      }
    >
      {children}
    </NavLink>
  );
}

function SignOut({ me }: { me: Me }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const signOut = useSignOut();
  const leave = () => {
    signOut.mutate(undefined, {
      onSettled: () => {
        client.clear();
        // A fresh page keeps nothing of this person in memory.
        window.location.assign("/login");
      },
    });
  };
  return (
    <>
      <span className="text-sm text-muted max-2xl:sr-only">
        {t("nav.signedInAs", {
          name: me.user.name,
          role: t(`role.${me.user.role}`, { defaultValue: me.user.roleName }),
        })}
      </span>
      <Button look="quiet" busy={signOut.isPending} onClick={leave}>
        {t("nav.signOut")}
      </Button>
    </>
  );
}
