import { useTranslation } from "react-i18next";

import type { ProposalItem } from "@/api/types";
import { RecordLink } from "@/components/ui/RecordLink";

import { ProposalChanges } from "./ProposalChanges";

type Props = {
  items: readonly ProposalItem[];
  /** The ids of the records that are left out. */
  leftOut: ReadonlySet<string>;
  /** Without it nothing can be left out any more. */
  onLeaveOut: ((ids: ReadonlySet<string>) => void) | undefined;
};

/** What a finger finds. */
const TARGET = "flex min-h-6 min-w-6 shrink-0 items-center pointer-coarse:min-h-11 pointer-coarse:min-w-11";

/** The records of a change of several: which are kept while it waits, and then what came of each. */
export function ProposalItems({ items, leftOut, onLeaveOut }: Props) {
  const { t } = useTranslation();
  return (
    <>
      {onLeaveOut && (
        <label className={`${TARGET} gap-2`}>
          <input
            type="checkbox"
            checked={leftOut.size === 0}
            onChange={({ target }) => {
              onLeaveOut(new Set(target.checked ? [] : items.map((item) => item.target.id)));
            }}
          />
          {t("proposal.items.all")}
        </label>
      )}
      <ul className="max-h-80 space-y-2 overflow-y-auto">
        {items.map((item) => (
          <li key={item.target.id} className="space-y-1">
            <div className="flex items-center gap-2">
              {onLeaveOut && (
                <label className={TARGET}>
                  <input
                    type="checkbox"
                    aria-label={item.target.name}
                    checked={!leftOut.has(item.target.id)}
                    onChange={({ target }) => {
                      const ids = new Set(leftOut);
                      if (target.checked) ids.delete(item.target.id);
                      else ids.add(item.target.id);
                      onLeaveOut(ids);
                    }}
                  />
                </label>
              )}
              <RecordLink record={item.target} />
              {item.status && <span className="text-xs whitespace-nowrap text-muted">{t(`proposal.items.${item.status}`)}</span>}
            </div>
            <ProposalChanges changes={item.changes} />
            {item.error && <p className="break-words text-warn">{item.error.message}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}
