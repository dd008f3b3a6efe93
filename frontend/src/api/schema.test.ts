import { readFileSync } from "node:fs";
import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";
import { expect, it } from "vitest";

it("has the types of the server's document", async () => {
  const document = readFileSync("../api/testdata/openapi.json", "utf8");
  const generated = COMMENT_HEADER + astToString(await openapiTS(document));
  const committed = readFileSync("src/api/schema.d.ts", "utf8");
  expect(committed === generated, "schema.d.ts is not what the document says; run `make generate`").toBe(true);
});
