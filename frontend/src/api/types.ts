// The names under which the client knows the JSON of the server. The shapes come from the OpenAPI document;
// written by hand is only what the document leaves open.

import type { components } from "./schema";

type Schemas = components["schemas"];

export type Money = Schemas["Money"];
export type RecordRef = Schemas["Ref"];
export type Candidate = Schemas["Candidate"];
export type Page<T> = Omit<Schemas["PageDeal"], "items"> & { items: T[] };

export type Status = Schemas["Status"];
export type Credentials = Schemas["Login"];
export type SetupInput = Schemas["Setup"];
export type Me = Schemas["Me"];
export type Scope = Schemas["Held"]["scope"];

export type Pipeline = Schemas["Pipeline"];
export type Deal = Schemas["Deal"];
export type Company = Schemas["Company"];
export type Product = Schemas["Product"];
export type Activity = Schemas["Activity"];
export type Contact = Schemas["Contact"];
export type Task = Schemas["Task"];
export type Quotation = Schemas["Quotation"];
export type QuotationItem = Schemas["QuotationItem"];
export type QuotationLine = Schemas["QuotationLine"];
export type QuotationStatus = Quotation["status"];
export type Delivery = Schemas["Delivery"];
export type DeliveryStatus = Delivery["status"];
export type HistoryItem = Schemas["HistoryItem"];
export type Resolution = Schemas["Resolution"];

export type ApprovalRule = Schemas["ApprovalRule"];
export type ApprovalRuleOptions = Schemas["ApprovalRuleOptions"];

export type Proposal = Schemas["Proposal"];
export type DecidedProposal = Schemas["DecidedProposal"];
export type ProposalStatus = Proposal["status"];
export type ProposalChange = Schemas["Change"];
export type ProposalItem = Schemas["ItemView"];
export type Editable = Schemas["Editable"];
/** Values are told only of the fields that the card showed. */
export type ChangedSince = Schemas["FieldSince"];

/** Why a call failed: tools/failure.go. */
export type ToolError = { kind: string; message: string; retry: boolean; candidates?: Candidate[] };
type StoredCall = Schemas["ToolCall"];
/** "preparing" is the client's own word for a call whose arguments are not there yet. */
export type ToolStatus = StoredCall["status"] | "preparing";
/** A call as far as it is known: a stored one has everything, one that runs has no end yet. */
export type ToolCall = Pick<StoredCall, "callId" | "name" | "label"> &
  Partial<Pick<StoredCall, "args" | "summary" | "result" | "ms">> & { status: ToolStatus; error?: ToolError };

/** A remark of the server on a reply. */
export type ReplyNotice = Schemas["Notice"];
/** A place in the text of a reply. It counts characters, not code units. */
export type Mark = Schemas["Mark"];
export type ChatInput = Schemas["Message"];
export type Message = Omit<Schemas["ConversationMessage"], "toolCalls"> & { toolCalls: ToolCall[] };
export type MessageStatus = Message["status"];
export type Conversation = Schemas["Conversation"];
export type ConversationDetail = Conversation & { messages: Message[]; summary?: Schemas["ConversationSummary"] };

export type JSONSchema = {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  properties?: Record<string, JSONSchema>;
  required?: string[];
  "x-kind"?: string;
};
export type ToolInfo = Omit<Schemas["Tool"], "parameters"> & { parameters: JSONSchema };

export type AIConfig = Schemas["AIConfigView"];
export type ModelStatus = Schemas["ModelStatus"];
export type AIConfigInput = Schemas["AIConfigInput"];
export type AIConfigTrial = Schemas["AIConfigTrial"];
export type ModelNames = Schemas["ModelNames"];

export type TurnLine = Schemas["TurnLine"];
export type Inspection = Schemas["Inspection"];
export type InspectedCall = Schemas["InspectedCall"];

export type Usage = Schemas["Usage"];
export type UsageFigures = Schemas["Figures"];
export type OutcomeReport = Schemas["OutcomeReport"];
export type OutcomeFigures = Schemas["OutcomeFigures"];
export type ModelPrice = Schemas["ModelPrice"];
export type ModelPriceInput = Schemas["ModelPriceInput"];
export type Budget = Schemas["Budget"];
export type BudgetInput = Schemas["BudgetInput"];

/** Proxies and the client itself refuse with less than the server does. */
export type Problem = Partial<Schemas["Problem"]> & Pick<Schemas["Problem"], "status" | "code" | "detail">;
