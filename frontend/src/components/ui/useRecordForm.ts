import { zodResolver } from "@hookform/resolvers/zod";
import { useEffect, useEffectEvent, useState } from "react";
import { get, useForm, type DefaultValues, type FieldValues, type Path, type PathValue } from "react-hook-form";
import { useTranslation } from "react-i18next";

import { fieldError } from "@/api/errors";
import { currentOf, useSaveRecord, type RecordOf, type RecordType } from "@/api/records";
import type { z } from "@/lib/zod";

type FieldOf<V> = Extract<keyof V, string>;

type Options<T extends RecordType, V extends FieldValues> = {
  type: T;
  schema: z.ZodType<V, V>;
  /** The record to change; a new one if missing. */
  record: RecordOf<T> | undefined;
  /** What a new record begins with. */
  start: V;
  /** The values of a record as the fields hold them, "" for none. */
  valuesOf: (record: RecordOf<T>) => V;
  /** The same as a person reads them: names instead of ids. */
  displayOf: (record: RecordOf<T>) => Record<FieldOf<V>, string>;
  /** How the changed values are told to the server; null clears. */
  bodyOf?: (changed: Partial<V>) => object;
  onSaved: (record: RecordOf<T>) => void;
};

/**
 * A form for a record. Values, baseline and version come from one reading, which later ones do not touch. Only
 * what was changed is sent. When somebody else was faster, nothing is lost: the form goes on from the record as it
 * is now, with what the person typed, and says what is stored where the two differ.
 */
export function useRecordForm<T extends RecordType, V extends FieldValues>(options: Options<T, V>) {
  const { type, schema, record, start, valuesOf, displayOf, bodyOf = emptyAsNull, onSaved } = options;
  const fields = Object.keys(start) as FieldOf<V>[];
  const { t } = useTranslation();
  const [base, setBase] = useState(record);
  const [theirs, setTheirs] = useState<readonly string[]>([]);
  const [overtaken, setOvertaken] = useState(false);
  const save = useSaveRecord(type);
  const form = useForm<V>({
    resolver: zodResolver(schema),
    defaultValues: (record ? valuesOf(record) : start) as DefaultValues<V>,
  });
  const set = <F extends FieldOf<V>>(field: F, value: V[F]) => {
    const path = field as string as Path<V>;
    form.setValue(path, value as PathValue<V, typeof path>, { shouldDirty: true, shouldValidate: true });
  };
  const goOnFrom = (current: RecordOf<T>, values: V, changed: readonly FieldOf<V>[]) => {
    const stored = valuesOf(current);
    form.reset(stored);
    form.reset({ ...stored, ...pick(values, changed) }, { keepDefaultValues: true });
    setTheirs(changed.filter((field) => base && !same(stored[field], valuesOf(base)[field])));
    setBase(current);
    setOvertaken(true);
  };
  const submit = form.handleSubmit((values) => {
    const before = base && valuesOf(base);
    const changed = fields.filter((field) => !same(values[field], before?.[field] ?? ""));
    if (base && changed.length === 0) {
      onSaved(base);
      return;
    }
    setOvertaken(false);
    const body = bodyOf(pick(values, changed));
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
    error: fields.some((field) => fieldError(save.error, field)) ? undefined : save.error,
    /** What is wrong with a field, or with one inside it such as "items.0.name". */
    errorOf: (field: string) => {
      const own = get(form.formState.errors, `${field}.message`) as string | undefined;
      return own ? t(own) : fieldError(save.error, field.replace(/\.(\d+)/g, "[$1]"));
    },
    storedOf: (field: FieldOf<V>) => {
      if (!base || !theirs.includes(field)) return undefined;
      return t("form.storedNow", { value: displayOf(base)[field] || t("common.emptyValue") });
    },
  };
}

function pick<V, F extends keyof V>(values: V, fields: readonly F[]): Partial<V> {
  const picked: Partial<V> = {};
  for (const field of fields) picked[field] = values[field];
  return picked;
}

// Lists of values are compared by what is in them.
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Texts as the server has them: what is empty is cleared. */
export function emptyAsNull(values: Partial<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, value === "" ? null : value]));
}
