import { Dialog } from "radix-ui";
import { useTranslation } from "react-i18next";

import type { Me } from "@/api/types";
import { dialogClass } from "@/components/ui/ConfirmDialog";
import { SignInForm } from "@/features/auth/SignInForm";

type Props = { me: Me; onSignedIn: () => void };

export function SignInDialog({ me, onSignedIn }: Props) {
  const { t } = useTranslation();
  const done = (signedIn: Me) => {
    // Another person starts on a page of their own.
    if (signedIn.user.id !== me.user.id) window.location.assign("/");
    else onSignedIn();
  };
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Dialog.Content className={dialogClass}>
          <Dialog.Title className="text-lg font-semibold">{t("signIn.againTitle")}</Dialog.Title>
          <Dialog.Description className="text-sm text-muted">{t("signIn.againText")}</Dialog.Description>
          <SignInForm demo={me.demo} email={me.user.email} onSignedIn={done} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
