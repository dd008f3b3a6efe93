import { afterAll, beforeAll, expect, it } from "vitest";

import { look } from "./browser";
import { openDeals, startWorld, type Deal, type World } from "./world";

let world: World;
let deals: Deal[];

beforeAll(async () => {
  world = await startWorld();
  deals = await world.elsewhere("sales", openDeals);
});

afterAll(() => world.stop());

const PRODUCT = "LED panel light 60 W";

const LANGUAGES = [
  {
    locale: "en-HK",
    new: "New quotation",
    list: "Quotations",
    add: "Add line",
    line: "Line 1",
    product: "Product",
    price: "Unit price",
    quantity: "Quantity",
    save: "Save draft",
    edit: "Edit",
    cancel: "Cancel",
    send: "Mark as sent",
    sent: "Sent",
  },
  {
    locale: "zh-HK",
    new: "新增報價單",
    list: "報價單",
    add: "新增項目",
    line: "項目 1",
    product: "產品",
    price: "單價",
    quantity: "數量",
    save: "儲存草稿",
    edit: "編輯",
    cancel: "取消",
    send: "標示為已發出",
    sent: "已發出",
  },
];

it.each(LANGUAGES)("a quotation is drafted on a deal and sent, in $locale", async ({ locale, ...words }) => {
  const deal = deals[0];
  if (!deal) throw new Error("the demo data holds no open deal");
  const { page, found, close } = await world.visit("sales", { locale, path: `/deals/${deal.id}` });
  const shot = (name: string) => look(page, `quotation-${name}-${locale}`);
  try {
    await page.getByRole("link", { name: words.new }).click();
    await page.getByRole("button", { name: words.add }).click();
    const line = page.getByRole("group", { name: words.line });
    await line.getByRole("combobox", { name: words.product }).fill(PRODUCT);
    await page.getByRole("option", { name: PRODUCT }).and(page.locator('[aria-selected="true"]')).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => line.getByLabel(words.price).inputValue()).toBe("420.00");
    await line.getByLabel(words.quantity).fill("3");
    await shot("new");
    await page.getByRole("button", { name: words.save }).click();

    await page.getByRole("heading", { level: 1, name: /^Q-\d{4}-\d{4}$/ }).waitFor();
    await page.getByText("HK$1,260.00").first().waitFor();
    await page.getByRole("button", { name: words.edit, exact: true }).click();
    await page.getByRole("button", { name: words.add }).waitFor();
    await shot("editor");
    await page.getByRole("button", { name: words.cancel, exact: true }).click();
    await page.getByRole("button", { name: words.send }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: words.send }).click();
    await page.getByRole("main").getByText(words.sent, { exact: true }).first().waitFor();
    await shot("page");

    await page.getByRole("navigation").getByRole("link", { name: words.list }).click();
    await page.getByRole("table", { name: words.list }).waitFor();
    await shot("list");
    expect(found).toEqual([]);
  } finally {
    await close();
  }
});
