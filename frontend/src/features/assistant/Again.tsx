import { useTranslation } from "react-i18next";

import { Button } from "@/components/ui/Button";

import { searchFor } from "./searchFor";
import { useThread } from "./threadContext";

/** Sends a text to the model, also while it is thought to be down. */
export function Again({ label, text }: { label: string; text: string }) {
  const { send } = useThread();
  return (
    <Button
      onClick={() => {
        send(text);
      }}
    >
      {label}
    </Button>
  );
}

/** Searches for what the model was asked. A command has asked no model. */
export function SearchInstead({ question }: { question: string | undefined }) {
  const { t } = useTranslation();
  if (!question || question.startsWith("/")) return null;
  return <Again label={t("assistant.searchInstead")} text={searchFor(question)} />;
}
