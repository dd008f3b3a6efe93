import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router-dom";

import { useContact } from "@/api/contacts";
import { can, useMe } from "@/api/session";
import type { Contact } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { DeleteRecord } from "@/components/ui/DeleteRecord";
import { History } from "@/components/ui/History";
import { Icon } from "@/components/ui/Icon";
import { LinkedTasks } from "@/components/ui/LinkedTasks";
import { Masked, MaskedReason } from "@/components/ui/Masked";
import { Facts, Page, Panel } from "@/components/ui/Page";
import { RecordLink } from "@/components/ui/RecordLink";
import { ErrorNote, Loading } from "@/components/ui/States";
import { useShowRecord } from "@/lib/currentRecord";
import { useFormat } from "@/lib/format";

import { ContactForm } from "./ContactForm";

export function ContactPage() {
  const { id = "" } = useParams();
  const { t } = useTranslation();
  const contact = useContact(id);
  useShowRecord("contact", contact.data);
  if (contact.isPending) return <Loading />;
  if (contact.error) {
    return (
      <Page title={t("contacts.one")}>
        <ErrorNote error={contact.error} onRetry={() => void contact.refetch()} />
      </Page>
    );
  }
  return <ContactView key={id} contact={contact.data} />;
}

function ContactView({ contact }: { contact: Contact }) {
  const { t } = useTranslation();
  const me = useMe();
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEditing(false);
    edit.current?.focus();
  };
  const { id, name, ownerId } = contact;
  const actions = (
    <div className="flex flex-wrap gap-2">
      {can(me.data, "contact:update", ownerId) && (
        <Button
          ref={edit}
          aria-expanded={editing}
          onClick={() => {
            setEditing(true);
          }}
        >
          <Icon name="pencil" />
          {t("common.edit")}
        </Button>
      )}
      <DeleteRecord
        type="contact"
        record={contact}
        name={name}
        ownerId={ownerId}
        label={t("contacts.delete")}
        list="/contacts"
      />
    </div>
  );
  return (
    <Page title={name} actions={actions}>
      <Panel title={t("contacts.facts")}>
        {editing ? (
          <ContactForm contact={contact} onSaved={close} onCancel={close} />
        ) : (
          <ContactFacts contact={contact} />
        )}
      </Panel>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <LinkedTasks about="contact" id={id} />
        <Panel title={t("history.title")}>
          <History type="contact" id={id} />
        </Panel>
      </div>
    </Page>
  );
}

function ContactFacts({ contact }: { contact: Contact }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { companyId, companyName, language } = contact;
  const personal = (field: "email" | "phone" | "whatsapp") =>
    contact[field] && <Masked key={field} record={contact} field={field} value={contact[field]} />;
  return (
    <>
      <Facts
        items={[
          [t("field.jobTitle"), contact.jobTitle],
          [
            t("field.company"),
            companyId && companyName && (
              <RecordLink key="company" record={{ type: "company", id: companyId, name: companyName }} />
            ),
          ],
          [t("field.email"), personal("email")],
          [t("field.phone"), personal("phone")],
          [t("field.whatsapp"), personal("whatsapp")],
          [t("field.language"), language && t(`contactLanguage.${language}`)],
          [t("field.owner"), contact.ownerName],
          [t("field.updated"), format.dateTime(contact.updatedAt)],
          [t("field.version"), format.number(contact.version)],
        ]}
      />
      <MaskedReason record={contact} />
    </>
  );
}
