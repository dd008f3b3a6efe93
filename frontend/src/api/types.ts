// The JSON of the server, by hand until it is generated from the OpenAPI document.

export type Money = { amount: string; currency: string };
export type RecordRef = { type: string; id: string; name: string };
export type Candidate = RecordRef & { detail?: string };
export type Page<T> = { items: T[]; nextCursor?: string; total: number };

export type Status = { demo: boolean; needsSetup: boolean; version: string };

export type Scope = "own" | "team" | "all";
export type User = {
  id: string;
  name: string;
  email: string;
  role: string;
  roleName: string;
  teamId?: string;
  teamName?: string;
};
export type Me = { user: User; permissions: { permission: string; scope: Scope }[]; demo: boolean };

export type StageKind = "OPEN" | "WON" | "LOST";
export type Stage = { id: string; name: string; kind: StageKind; probability: number; position: number };
export type Pipeline = { id: string; name: string; position: number; stages: Stage[] };

export type Deal = {
  id: string;
  title: string;
  externalId?: string;
  companyId?: string;
  companyName?: string;
  productId?: string;
  productName?: string;
  pipelineId: string;
  pipelineName: string;
  stageId: string;
  stageName: string;
  stageKind: StageKind;
  amount?: Money;
  openedAt?: string;
  expectedCloseDate?: string;
  closedAt?: string;
  ownerId: string;
  ownerName: string;
  lostReason?: string;
  version: number;
  createdAt: string;
  updatedAt: string;
};

export type Company = {
  id: string;
  name: string;
  otherNames: string[];
  industry?: string;
  status: string;
  website?: string;
  phone?: string;
  address?: string;
  ownerId?: string;
  ownerName?: string;
  tags: string[];
  notes?: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  maskedFields?: string[];
};

export type Product = {
  id: string;
  sku: string;
  name: string;
  unit: string;
  price?: Money;
  taxRate: string | number;
  active: boolean;
  version: number;
};

export type ActivityKind = "CALL" | "MEETING" | "EMAIL" | "NOTE" | "WHATSAPP" | "SYSTEM" | "ASSISTANT";
export type Activity = {
  id: string;
  kind: ActivityKind;
  subject: string;
  body?: string;
  at: string;
  companyId?: string;
  companyName?: string;
  dealId?: string;
  dealTitle?: string;
  ownerId: string;
  ownerName: string;
  version: number;
  createdAt: string;
  updatedAt: string;
};

export type HistoryActor = { userId?: string; name: string; via: string; model?: string; client?: string };
export type HistoryItem = {
  id: string;
  at: string;
  field: string;
  before: unknown;
  after: unknown;
  /** The names of records that before and after hold the ids of. */
  beforeName?: string;
  afterName?: string;
  actor: HistoryActor;
  proposalId?: string;
};

export type Resolution = {
  match?: Candidate;
  how: "id" | "exact" | "contains" | "none" | "email";
  candidates: Candidate[];
  message?: string;
};

export type ProposalStatus = "pending" | "executed" | "failed" | "cancelled" | "expired" | "stale" | "superseded";
export type ProposalChange = {
  field: string;
  label: string;
  before: unknown;
  after: unknown;
  beforeDisplay: string;
  afterDisplay: string;
};
export type ProposalOutcome = { summary: string; records?: RecordRef[]; error?: { code: string; message: string } };
export type Proposal = {
  id: string;
  status: ProposalStatus;
  tool: string;
  title: string;
  target: RecordRef;
  changes: ProposalChange[];
  warnings: string[];
  reason: string;
  digest: string;
  requestedBy: string;
  conversationId?: string;
  channel: string;
  createdAt: string;
  expiresAt: string;
  decidedBy?: string;
  decidedAt?: string;
  outcome?: ProposalOutcome;
  /** What changed of the target since, once the proposal is stale. */
  changedSince?: ChangedSince[];
  /** The proposal that has taken the place of a stale one. */
  freshId?: string;
  undo?: { until: string };
  alreadyDecided?: boolean;
};
/** Values are told only of the fields that the card showed. */
export type ChangedSince = { field: string; before?: unknown; after?: unknown; by: string; at: string };

export type ToolStatus = "preparing" | "running" | "ok" | "failed" | "denied" | "stopped" | "proposed";
export type ToolError = { kind: string; message: string; candidates?: Candidate[] };
export type ToolCall = {
  callId: string;
  name: string;
  label: string;
  args?: unknown;
  status: ToolStatus;
  summary?: string;
  result?: unknown;
  error?: ToolError | string;
  ms?: number;
};

export type MessageStatus = "complete" | "running" | "stopped" | "failed";
export type Message = {
  id: string;
  seq: number;
  role: "user" | "assistant";
  content: string;
  status: MessageStatus;
  turnId?: string;
  toolCalls: ToolCall[];
  proposals: Proposal[];
  refs?: RecordRef[];
  createdAt: string;
};
export type Conversation = { id: string; title: string; channel: string; createdAt: string; updatedAt: string };
export type ConversationDetail = Conversation & { messages: Message[] };

export type JSONSchema = {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  properties?: Record<string, JSONSchema>;
  required?: string[];
  "x-kind"?: string;
};
export type ToolInfo = {
  name: string;
  label: string;
  description: string;
  effect: "read" | "create" | "sensitive" | "destructive";
  main?: string;
  example: string;
  shortForms: string[];
  parameters: JSONSchema;
};

export type Usage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cost?: string | number;
  currency?: string;
  known: boolean;
  rounds: number;
};
export type DoneReason = "stop" | "finish_tool" | "awaiting_confirmation" | "max_rounds" | "length" | "stopped";
export type StreamEvent =
  | { type: "start"; turnId: string; conversationId: string; messageId: string }
  | { type: "token"; delta: string }
  | { type: "tool_start"; callId: string; name: string; label: string; args?: unknown }
  | {
      type: "tool_end";
      callId: string;
      name: string;
      status: ToolStatus;
      summary: string;
      result?: unknown;
      error?: ToolError | string;
      ms: number;
    }
  | { type: "proposal"; proposal: Proposal }
  | { type: "records"; refs: RecordRef[] }
  | ({ type: "usage" } & Usage)
  | { type: "notice"; code: string; text: string }
  | { type: "reset" }
  | { type: "done"; reason: DoneReason; messageId: string; usage?: Usage }
  | { type: "error"; code: string; message: string; requestId?: string; retryable: boolean };

export type AIConfig = {
  configured: boolean;
  apiKeySet: boolean;
  provider?: "openai" | "anthropic";
  endpointUrl?: string;
  model?: string;
  systemPrompt?: string;
  maxRounds?: number;
  updatedAt?: string;
  updatedBy?: string;
  secrets: "ok" | "missing_key" | "malformed_key" | "wrong_key";
};
export type AIConfigInput = {
  provider: "openai" | "anthropic";
  endpointUrl: string;
  model: string;
  apiKey?: string;
  systemPrompt: string;
  maxRounds: number;
};

export type Problem = {
  status: number;
  title?: string;
  code: string;
  detail: string;
  requestId?: string;
  errors?: { path: string; message: string }[];
  candidates?: Candidate[];
  [extra: string]: unknown;
};
