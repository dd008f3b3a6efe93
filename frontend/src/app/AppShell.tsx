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
        {can(me, "usage:read") && <Tab to="/admin/usage">{t("usage.title")}</Tab>}
        {can(me, "audit:read") && <Tab to="/admin/turns">{t("turns.title")}</Tab>}
        {can(me, "approval-rule:read") && <Tab to="/admin/approval-rules">{t("rules.title")}</Tab>}
        {can(me, "ai-config:read") && <Tab to="/admin/ai-config">{t("nav.ai")}</Tab>}
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

function Tab({ to, children }: { to: string; children: ReactNode }) {
  return (
    <NavLink
      to={to}
      className={({ isActive }) =>
        cn(
          "inline-flex min-h-9 items-center rounded-lg px-3 text-sm font-medium hover:bg-raised pointer-coarse:min-h-11",
          isActive && "bg-accent-soft text-accent-strong",
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
