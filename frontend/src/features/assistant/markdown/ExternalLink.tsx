import { useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { ConfirmDialog } from "@/components/ui/ConfirmDialog";

type Props = {
  href: string;
  host: string;
  /** The words are the address itself, which names its host. */
  bare: boolean;
  children: ReactNode;
};

/** A link out of this site. It says where it leads, and asks before it goes there. */
export function ExternalLink({ href, host, bare, children }: Props) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  return (
    <>
      <a
        ref={link}
        href={href}
        target="_blank"
        rel="noopener noreferrer"
        onClick={(event) => {
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children}
        {!bare && ` (${host})`}
      </a>
      <ConfirmDialog
        control={{ open, onOpenChange: setOpen, opener: link }}
        title={t("leave.title", { host })}
        description={t("leave.text", { address: href })}
        action={t("leave.action")}
        look="primary"
        onConfirm={() => {
          window.open(href, "_blank", "noopener,noreferrer");
        }}
      />
    </>
  );
}
