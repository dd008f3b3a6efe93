import { useTranslation } from "react-i18next";

import type { TurnLine } from "@/api/types";
import { Badge, type BadgeLook } from "@/components/ui/Badge";

const LOOKS: Record<TurnLine["status"], BadgeLook> = { running: "neutral", done: "good", failed: "danger", stopped: "warn" };

/** How a turn stands. */
export function TurnStatus({ status }: Pick<TurnLine, "status">) {
  const { t } = useTranslation();
  return <Badge look={LOOKS[status]}>{t(`turns.${status}`)}</Badge>;
}
