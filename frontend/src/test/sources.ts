import { readdirSync, readFileSync } from "node:fs";

export type Source = { path: string; text: string };

/** The sources of the UI, by their path below src, without tests and their helpers. */
export function sources(): Source[] {
  return readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /\.tsx?$/.test(path) && !path.includes(".test.") && !path.startsWith("test/"))
    .map((path) => ({ path, text: readFileSync(`src/${path}`, "utf8") }));
}
