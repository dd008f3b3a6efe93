import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import { copyText } from "@/lib/clipboard";

import { Button } from "./Button";
import { Icon } from "./Icon";

type Props = { text: string } | { copy: () => Promise<boolean> };

/** Copies a text, or what its own way of copying does, and says whether that worked. */
export function CopyButton(props: Props) {
  const { t } = useTranslation();
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => {
      setState("idle");
    }, 2_000);
    return () => {
      clearTimeout(timer);
    };
  }, [state]);
  const copy = async () => {
    setState((await ("text" in props ? copyText(props.text) : props.copy())) ? "copied" : "failed");
  };
  return (
    <Button look="quiet" size="small" onClick={() => void copy()}>
      <Icon name={state === "copied" ? "check" : "copy"} className="size-3.5" />
      <span aria-live="polite">{t(`copy.${state}`)}</span>
    </Button>
  );
}
