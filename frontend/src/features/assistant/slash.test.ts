import { describe, expect, it } from "vitest";

import type { ToolInfo } from "@/api/types";

import { argumentValue, complete, quoteValue, slashSpot } from "./slash";

const TOOLS: ToolInfo[] = [
  {
    name: "update_deal_stage",
    label: "Change deal stage",
    description: "",
    effect: "sensitive",
    main: "deal",
    example: "",
    shortForms: [],
    parameters: {
      type: "object",
      required: ["deal", "stage"],
      properties: { reason: {}, deal: { "x-kind": "deal" }, stage: { "x-kind": "stage" } },
    },
  },
  {
    name: "get_company",
    label: "Look up company",
    description: "",
    effect: "read",
    main: "company",
    example: "",
    shortForms: ["company"],
    parameters: { type: "object", properties: { company: { "x-kind": "company" } } },
  },
];

// The bar marks the caret.
function at(marked: string) {
  const caret = marked.indexOf("|");
  return slashSpot(marked.replace("|", ""), caret, TOOLS);
}

describe("slashSpot", () => {
  it.each([
    ["plain text|", undefined],
    ["not /upd|", undefined],
    ["/|", { kind: "command", query: "", from: 0, to: 1 }],
    ["/upd|", { kind: "command", query: "upd", from: 0, to: 4 }],
    ["/up|date", { kind: "command", query: "up", from: 0, to: 7 }],
    ["/unknown |", undefined],
    ["/update_deal_stage |", { kind: "argument", query: "", used: [], from: 19, to: 19 }],
    ["/update_deal_stage st|", { kind: "argument", query: "st", from: 19, to: 21 }],
    ["/update_deal_stage deal=|", { kind: "value", argument: "deal", query: "", from: 24, to: 24 }],
    ['/update_deal_stage deal="Acme re|', { kind: "value", argument: "deal", query: "Acme re", from: 24, to: 32 }],
    [
      '/update_deal_stage deal="Ac|me re" stage=Won',
      { kind: "value", argument: "deal", query: "Ac", from: 24, to: 33 },
    ],
    ['/update_deal_stage deal="港光 續" stage=W|', { kind: "value", argument: "stage", query: "W" }],
    ['/update_deal_stage deal="A b" |', { kind: "argument", used: ["deal"], query: "" }],
    ["/company Ac|", { kind: "value", argument: "company", query: "Ac", from: 9, to: 11 }],
    ["/company Acme Lt|", { kind: "value", argument: "company", query: "Acme Lt", from: 9, to: 16 }],
  ])("%s", (marked, want) => {
    const spot = at(marked);
    if (want) expect(spot).toMatchObject(want);
    else expect(spot).toBeUndefined();
  });
});

describe("complete", () => {
  it.each([
    ["/upd|", "/update_deal_stage", "/update_deal_stage |"],
    ["/update_deal_stage de|", "deal=", "/update_deal_stage deal=|"],
    ["/update_deal_stage deal=Ac|", '"Acme renewal"', '/update_deal_stage deal="Acme renewal" |'],
    ['/update_deal_stage deal="Ac|" stage=Won', '"Acme renewal"', '/update_deal_stage deal="Acme renewal" |stage=Won'],
    ["/company Acme L|", '"Acme Ltd"', '/company "Acme Ltd" |'],
  ])("%s + %s", (marked, insert, want) => {
    const text = marked.replace("|", "");
    const spot = at(marked);
    if (!spot) throw new Error("no spot");
    const done = complete(text, spot, insert);
    expect(`${done.text.slice(0, done.caret)}|${done.text.slice(done.caret)}`).toBe(want);
  });
});

it("quotes what holds spaces, and cannot write a double quote", () => {
  expect(["Won", "Acme renewal", "a=b", "", 'the "big" one'].map(quoteValue)).toEqual([
    "Won",
    '"Acme renewal"',
    '"a=b"',
    undefined,
    undefined,
  ]);
});

it("reads the value of another argument", () => {
  const text = '/update_deal_stage deal="Acme renewal" stage=Won';
  expect([argumentValue(text, "deal"), argumentValue(text, "stage"), argumentValue(text, "reason")]).toEqual([
    "Acme renewal",
    "Won",
    "",
  ]);
});
