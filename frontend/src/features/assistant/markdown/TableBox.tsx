import { useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "@/components/ui/Button";
import { CopyButton } from "@/components/ui/CopyButton";
import { Icon } from "@/components/ui/Icon";
import { copyRich } from "@/lib/clipboard";
import { download } from "@/lib/download";

import { rowsOf, toCSV, toHTML, toTSV } from "./table";

/** A table in a box of its own, which scrolls sideways, with ways to take the table along. */
export function TableBox({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const table = useRef<HTMLTableElement>(null);
  const rows = () => (table.current ? rowsOf(table.current) : []);
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      {/* A scroll box must be reachable by keyboard. */}
      <div
        role="group"
        aria-label={t("table.label")}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="overflow-x-auto -outline-offset-2"
      >
        <table ref={table}>{children}</table>
      </div>
      <div className="flex justify-end gap-1 border-t border-line bg-raised px-1">
        <CopyButton copy={() => copyRich(toTSV(rows()), toHTML(rows()))} />
        <Button
          look="quiet"
          size="small"
          onClick={() => {
            download("table.csv", "text/csv;charset=utf-8", toCSV(rows()));
          }}
        >
          <Icon name="down" className="size-3.5" />
          {t("table.download")}
        </Button>
      </div>
    </div>
  );
}
