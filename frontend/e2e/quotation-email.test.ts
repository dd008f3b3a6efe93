import { afterAll, beforeAll, expect, it } from "vitest";

import { look } from "./browser";
import { question, type Asked } from "./endpoint";
import { startMailbox, type Mailbox } from "./mailbox";
import { eventually, say, startWorld, type API, type World } from "./world";

type Record = { id: string; name: string };

let mailbox: Mailbox;
let world: World;

/** A model that proposes to send the quotation whose number it is told, and otherwise only speaks. */
function answer(asked: Asked) {
  const quotation = /^Send (Q-[\d-]+)$/.exec(question(asked) ?? "")?.[1];
  if (quotation) return { call: "send_quotation_email", args: { quotation } };
  return { text: ["As you ", "wish."] };
}

beforeAll(async () => {
  mailbox = await startMailbox();
  world = await startWorld(answer, { SMTP_URL: mailbox.url });
});

afterAll(async () => {
  await world.stop();
  await mailbox.stop();
});

/** A draft for a contact of that address and language. */
async function draftFor(api: API, email: string, language: string): Promise<Record> {
  const company = await api.send<Record>("POST", "/api/companies", { name: `Company of ${email}` });
  const contact = await api.send<Record>("POST", "/api/contacts", { name: "Ada Au", companyId: company.id, email, language });
  const items = [{ name: "Crane", quantity: "2", unitPrice: "1200.50" }];
  return api.send("POST", "/api/quotations", { companyId: company.id, contactId: contact.id, currency: "HKD", items });
}

const mailsTo = (address: string) => mailbox.received.filter(({ to }) => to === address);

it("an e-mail is shown whole, edited and sent once, and its card follows it", async () => {
  const draft = await world.elsewhere("sales", (api) => draftFor(api, "ada@customer.example", "en"));
  const { page, found, close } = await world.visit("sales");
  try {
    await say(page, `Send ${draft.name}`);
    const card = page.getByTestId("proposal").last();
    await card.getByText("Confirming sends this e-mail to ada@customer.example. It cannot be called back.").waitFor();
    await card.getByText("2 × Crane @ HK$1,200.50 = HK$2,401.00").waitFor();
    expect(await card.locator("del").allTextContents()).toContain("Draft");
    expect(await card.locator("ins").allTextContents()).toContain("Sent");
    await look(page, "email-card-en");

    await card.getByRole("button", { name: "Edit" }).click();
    await card.getByLabel("Subject").fill("Our offer for you");
    await look(page, "email-edit-en");
    await card.getByRole("button", { name: "Confirm with changes" }).click();
    await card.getByText("The e-mail to ada@customer.example was sent.").waitFor();
    await look(page, "email-sent-en");
    expect(mailsTo("ada@customer.example")).toEqual([{ to: "ada@customer.example", subject: "Our offer for you" }]);

    await page.goto(`${world.url}/quotations/${draft.id}`);
    const emails = page.getByRole("main");
    await emails.getByRole("heading", { name: "E-mails" }).waitFor();
    await emails.getByText("Draft → Sent").waitFor();
    await look(page, "email-quotation-en");
    expect(mailsTo("ada@customer.example")).toHaveLength(1);
    expect(found).toEqual([]);
  } finally {
    await close();
  }
});

it("an e-mail of which nobody knows is not sent again, and is marked as sent, in Chinese", async () => {
  const draft = await world.elsewhere("sales", (api) => draftFor(api, "cut@customer.example", "zh-HK"));
  const { page, found, close } = await world.visit("sales", { locale: "zh-HK", colorScheme: "dark" });
  try {
    await say(page, `Send ${draft.name}`);
    const card = page.getByTestId("proposal").last();
    await card.getByRole("button", { name: "發送電郵" }).waitFor();
    expect(await card.locator("del").allTextContents()).toContain("草稿");
    await look(page, "email-card-zh-HK");
    await card.getByRole("button", { name: "發送電郵" }).click();
    await card.getByText("未能確定 cut@customer.example 是否收到電郵。").waitFor();
    await card.getByText(/再次發送前，請先向收件人查證/).waitFor();
    // The conversation is told as well.
    await page.getByText(/附有「.*」的電郵：/).waitFor();
    await look(page, "email-unknown-zh-HK");

    await page.reload();
    await card.getByRole("button", { name: "標示為已發送" }).focus();
    await page.keyboard.press("Enter");
    await card.getByText("電郵已發送給 cut@customer.example。").waitFor();
    await page.reload();
    await card.getByText("電郵已發送給 cut@customer.example。").waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
    await eventually(() => mailsTo("cut@customer.example").length, (n) => n === 1);

    await page.goto(`${world.url}/quotations/${draft.id}`);
    await page.getByRole("main").getByText("草稿 → 已發出").waitFor();
    await look(page, "email-quotation-zh-HK");
    expect(found).toEqual([]);
  } finally {
    await close();
  }
});
