import type { Deal } from "@/api/types";
import { Badge, type BadgeLook } from "@/components/ui/Badge";

const LOOKS: Record<Deal["stageKind"], BadgeLook> = { OPEN: "neutral", WON: "good", LOST: "danger" };

export function StageBadge({ deal }: { deal: Pick<Deal, "stageKind" | "stageName"> }) {
  return <Badge look={LOOKS[deal.stageKind]}>{deal.stageName}</Badge>;
}
