import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";

import { useErrorText } from "@/api/errors";
import { useReviseQuotation } from "@/api/quotations";
import { currentOf, useSaveRecord } from "@/api/records";
import { can, useMe } from "@/api/session";
import type { Quotation, QuotationStatus } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { useToast } from "@/components/ui/Toast";
import { recordPath } from "@/lib/routes";

// What can follow a status: models/quotation.go.
const NEXT: Record<QuotationStatus, readonly QuotationStatus[]> = {
  DRAFT: ["SENT"],
  SENT: ["ACCEPTED", "REJECTED", "EXPIRED"],
  ACCEPTED: [],
  REJECTED: [],
  EXPIRED: [],
};

/** A button for each status that can follow, with one question; none for those who may not. */
export function StatusButtons({ quotation }: { quotation: Quotation }) {
  const { t } = useTranslation();
  const me = useMe();
  const toast = useToast();
  const errorText = useErrorText();
  const save = useSaveRecord("quotation");
  const { name, ownerId, status, supersededAt, items = [] } = quotation;
  const may = (next: QuotationStatus) =>
    can(me.data, "quotation:update", ownerId) && (next !== "SENT" || can(me.data, "quotation:send", ownerId));
  if (supersededAt || items.length === 0) return null;
  const advance = (next: QuotationStatus) => {
    // The button goes with the status that it led to, and with it the callbacks of mutate: a promise still answers.
    save.mutateAsync({ base: quotation, body: { status: next } }).then(
      () => {
        toast({ text: t("quotations.advanced", { name, status: t(`quotationStatus.${next}`) }) });
      },
      (error: unknown) => {
        toast({ text: currentOf(error) ? t("quotations.stale", { name }) : errorText(error) });
      },
    );
  };
  return NEXT[status].filter(may).map((next) => (
    <ConfirmDialog
      key={next}
      trigger={
        <Button look={next === "SENT" || next === "ACCEPTED" ? "primary" : "plain"} busy={save.isPending}>
          {t(`quotationStep.${next}`)}
        </Button>
      }
      look="primary"
      title={t(`quotationStepTitle.${next}`, { name })}
      description={t(next === "SENT" ? "quotations.sendText" : "quotations.decideText")}
      action={t(`quotationStep.${next}`)}
      onConfirm={() => {
        advance(next);
      }}
    />
  ));
}

/** Drafts the next revision of what was sent and not accepted, and leads to it. */
export function Revise({ quotation: { id, ownerId, status } }: { quotation: Quotation }) {
  const { t } = useTranslation();
  const me = useMe();
  const toast = useToast();
  const navigate = useNavigate();
  const errorText = useErrorText();
  const revise = useReviseQuotation();
  if (status === "DRAFT" || status === "ACCEPTED" || !can(me.data, "quotation:create", ownerId)) return null;
  const start = () => {
    revise.mutate(id, {
      onSuccess: (draft) => {
        toast({ text: t("form.added", { name: draft.name }) });
        void navigate(recordPath("quotation", draft.id) ?? "");
      },
      onError: (error) => {
        toast({ text: errorText(error) });
      },
    });
  };
  return (
    <Button busy={revise.isPending} onClick={start}>
      {t("quotations.revise")}
    </Button>
  );
}
