import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";

import type { Contact } from "@/api/types";
import { SelectField, TextField } from "@/components/ui/Field";
import { RecordFormFrame } from "@/components/ui/RecordFormFrame";
import { RecordPicker } from "@/components/ui/RecordPicker";
import { useRecordForm } from "@/components/ui/useRecordForm";
import { z } from "@/lib/zod";

// What people write between the digits of a number does not count: crm/text.go.
const phone = z
  .string()
  .trim()
  .refine(
    (text) => text === "" || /^\+[1-9]\d{6,14}$/.test(text.replace(/[\s()./\p{Pd}]/gu, "")),
    "contacts.phoneInvalid",
  );
const schema = z.object({
  name: z.string().trim().min(1, "common.required"),
  companyId: z.string(),
  jobTitle: z.string().trim(),
  email: z
    .string()
    .trim()
    .refine((text) => text === "" || z.email().safeParse(text).success, "common.emailInvalid"),
  phone,
  whatsapp: phone,
  language: z.string(),
});
type Values = z.infer<typeof schema>;

const NEW: Values = { name: "", companyId: "", jobTitle: "", email: "", phone: "", whatsapp: "", language: "" };

/** A hidden value is not in the form, so it is never sent back. */
function valuesOf(contact: Contact): Values {
  const open = (field: "email" | "phone" | "whatsapp") =>
    contact.maskedFields?.includes(field) ? "" : (contact[field] ?? "");
  return {
    name: contact.name,
    companyId: contact.companyId ?? "",
    jobTitle: contact.jobTitle ?? "",
    email: open("email"),
    phone: open("phone"),
    whatsapp: open("whatsapp"),
    language: contact.language ?? "",
  };
}

type Props = {
  contact?: Contact;
  /** The company that a new contact is at. */
  company?: { id: string; name: string };
  onSaved: (contact: Contact) => void;
  onCancel: () => void;
};

export function ContactForm({ contact, company, onSaved, onCancel }: Props) {
  const { t } = useTranslation();
  const { form, submit, set, errorOf, storedOf, ...state } = useRecordForm({
    type: "contact",
    schema,
    record: contact,
    start: { ...NEW, companyId: company?.id ?? "" },
    valuesOf,
    displayOf: (record) => ({
      ...valuesOf(record),
      companyId: record.companyName ?? "",
      language: record.language ? t(`contactLanguage.${record.language}`) : "",
    }),
    onSaved,
  });
  const language = useWatch({ control: form.control, name: "language" });
  const field = (name: keyof Values) => ({ error: errorOf(name), hint: storedOf(name), ...form.register(name) });
  const personal = (name: "email" | "phone" | "whatsapp", label: string, type: "email" | "tel") =>
    contact?.maskedFields?.includes(name) ? (
      <TextField label={label} value={contact[name]} hint={t("contacts.maskedKept")} readOnly disabled />
    ) : (
      <TextField label={label} type={type} {...field(name)} />
    );
  return (
    <RecordFormFrame
      {...state}
      action={t(contact ? "common.save" : "contacts.create")}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <TextField label={t("field.name")} {...field("name")} />
      <RecordPicker
        kind="company"
        label={t("field.company")}
        name={contact?.companyName ?? company?.name ?? ""}
        error={errorOf("companyId")}
        hint={storedOf("companyId")}
        onChange={(id) => {
          set("companyId", id);
        }}
      />
      <TextField label={t("field.jobTitle")} {...field("jobTitle")} />
      <SelectField
        label={t("field.language")}
        error={errorOf("language")}
        hint={storedOf("language")}
        value={language}
        onChange={(event) => {
          set("language", event.target.value);
        }}
      >
        <option value="">{t("contacts.languageUnknown")}</option>
        <option value="en">{t("contactLanguage.en")}</option>
        <option value="zh-HK">{t("contactLanguage.zh-HK")}</option>
      </SelectField>
      {personal("email", t("field.email"), "email")}
      {personal("phone", t("field.phone"), "tel")}
      {personal("whatsapp", t("field.whatsapp"), "tel")}
    </RecordFormFrame>
  );
}
