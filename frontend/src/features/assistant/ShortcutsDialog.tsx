import { Dialog } from "radix-ui";
import { useTranslation } from "react-i18next";

import { Button } from "@/components/ui/Button";
import { dialogClass } from "@/components/ui/ConfirmDialog";

import { SHORTCUTS } from "./useShortcuts";

type Props = { open: boolean; onOpenChange: (open: boolean) => void; on: boolean; onTurn: (on: boolean) => void };

/** Lists the shortcuts, and lets them be switched off. */
export function ShortcutsDialog({ open, onOpenChange, on, onTurn }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Dialog.Content className={dialogClass} aria-describedby={undefined}>
          <Dialog.Title className="text-lg font-semibold">{t("shortcuts.title")}</Dialog.Title>
          <dl className="divide-y divide-line text-sm">
            {Object.entries(SHORTCUTS).map(([shortcut, key]) => (
              <div key={shortcut} className="flex items-center justify-between gap-4 py-2">
                <dt>{t(`shortcuts.does.${shortcut}`)}</dt>
                <dd>
                  <kbd className="rounded border border-control bg-raised px-1.5 py-0.5 font-mono text-xs whitespace-nowrap">
                    {t("shortcuts.keys", { key })}
                  </kbd>
                </dd>
              </div>
            ))}
          </dl>
          <label className="flex min-h-8 items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={on}
              onChange={(event) => {
                onTurn(event.target.checked);
              }}
            />
            {t("shortcuts.on")}
          </label>
          <div className="flex justify-end">
            <Dialog.Close asChild>
              <Button>{t("common.close")}</Button>
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
