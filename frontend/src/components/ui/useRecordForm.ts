import { zodResolver } from "@hookform/resolvers/zod";
import { useEffect, useEffectEvent, useState } from "react";
import { useForm, type DefaultValues, type Path, type PathValue } from "react-hook-form";
import { useTranslation } from "react-i18next";

import { fieldError } from "@/api/errors";
import { currentOf, useSaveRecord, type RecordOf, type RecordType } from "@/api/records";
import type { z } from "@/lib/zod";

type Values<F extends string> = Record<F, string>;

type Options<T extends RecordType, F extends string> = {
  type: T;
  schema: z.ZodType<Values<F>, Values<F>>;
  /** The record to change; a new one if missing. */
  record: RecordOf<T> | undefined;
  /** What a new record begins with. */
  start: Values<F>;
  /** The values of a record as the fields hold them, "" for none. */
  valuesOf: (record: RecordOf<T>) => Values<F>;
  /** The same as a person reads them: names instead of ids. */
  displayOf: (record: RecordOf<T>) => Values<F>;
  /** What a changed value is called on the wire; null clears. */
  wireOf?: (field: F, value: string) => string | null;
  onSaved: (record: RecordOf<T>) => void;
};

/**
 * A form for a record. Values, baseline and version come from one reading, which later ones do not touch. Only
 * what was changed is sent. When somebody else was faster, nothing is lost: the form goes on from the record as it
 * is now, with what the person typed, and says what is stored where the two differ.
 */
export function useRecordForm<T extends RecordType, F extends string>(options: Options<T, F>) {
  const { type, schema, record, start, valuesOf, displayOf, wireOf = wire, onSaved } = options;
  const { t } = useTranslation();
  const [base, setBase] = useState(record);
  const [theirs, setTheirs] = useState<readonly string[]>([]);
  const [overtaken, setOvertaken] = useState(false);
  const save = useSaveRecord(type);
  const form = useForm<Values<F>>({
    resolver: zodResolver(schema),
    defaultValues: (record ? valuesOf(record) : start) as DefaultValues<Values<F>>,
  });
  const set = (field: F, value: string) => {
    const path = field as string as Path<Values<F>>;
    form.setValue(path, value as PathValue<Values<F>, typeof path>, { shouldDirty: true, shouldValidate: true });
  };
  const goOnFrom = (current: RecordOf<T>, values: Values<F>, changed: readonly F[]) => {
    const stored = valuesOf(current);
    form.reset(stored);
    for (const field of changed) set(field, values[field]);
    setTheirs(changed.filter((field) => base && stored[field] !== valuesOf(base)[field]));
    setBase(current);
    setOvertaken(true);
  };
  const submit = form.handleSubmit((values) => {
    const before = base && valuesOf(base);
    const changed = (Object.keys(start) as F[]).filter((field) => values[field] !== (before?.[field] ?? ""));
    if (base && changed.length === 0) {
      onSaved(base);
      return;
    }
    setOvertaken(false);
    const body = Object.fromEntries(changed.map((field) => [field, wireOf(field, values[field])]));
    save.mutate(
      { base, body },
      {
        onError: (error) => {
          const current = currentOf<RecordOf<T>>(error);
          if (current) goOnFrom(current, values, changed);
        },
      },
    );
  });
  // Not before the form counts as saved: a page with unsaved changes asks before it is left.
  const tellSaved = useEffectEvent(onSaved);
  useEffect(() => {
    if (save.data) tellSaved(save.data);
  }, [save.data]);
  return {
    form,
    submit,
    set,
    busy: save.isPending,
    dirty: form.formState.isDirty && !save.isPending && !save.isSuccess,
    /** The record has changed since; what the person typed waits to be saved over it. */
    overtaken,
    error: Object.keys(start).some((field) => fieldError(save.error, field)) ? undefined : save.error,
    errorOf: (field: F) => {
      const own = (form.formState.errors as Partial<Record<string, { message?: string }>>)[field]?.message;
      return own ? t(own) : fieldError(save.error, field);
    },
    storedOf: (field: F) => {
      if (!base || !theirs.includes(field)) return undefined;
      return t("form.storedNow", { value: displayOf(base)[field] || t("common.emptyValue") });
    },
  };
}

const wire = (_field: string, value: string) => (value === "" ? null : value);
