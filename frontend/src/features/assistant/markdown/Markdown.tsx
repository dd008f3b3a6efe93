import type { Element } from "hast";
import { createContext, memo, use, type ComponentProps, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import { harden } from "rehype-harden";
import remarkCjkFriendly from "remark-cjk-friendly";
import remarkGfm from "remark-gfm";

import type { Mark, RecordRef } from "@/api/types";
import { RecordLink } from "@/components/ui/RecordLink";

import { repair, splitBlocks } from "./blocks";
import { ExternalLink } from "./ExternalLink";
import { linkTarget } from "./links";
import { markFigures, placesOf, withinBlock, type Place } from "./marks";
import { spellOut } from "./spellOut";
import { TableBox } from "./TableBox";
import { Unverified } from "./Unverified";

const Refs = createContext<readonly RecordRef[]>([]);

type Props = {
  text: string;
  /** The records that the text may link. */
  refs: readonly RecordRef[];
  /** The figures of the text that nothing has confirmed. */
  marks?: readonly Mark[];
  /** The text is still growing. */
  streaming?: boolean;
};

/** The markdown of an answer. HTML is shown as text; nothing is fetched by rendering it. */
export const Markdown = memo(function Markdown({ text, refs, marks = [], streaming = false }: Props) {
  const blocks = splitBlocks(text);
  const places = placesOf(text, marks);
  return (
    <Refs value={refs}>
      <div className="markdown text-sm break-words">
        {blocks.map((block, index) => (
          // Blocks only ever grow at the end.
          <Block
            key={index}
            text={streaming && index === blocks.length - 1 ? repair(block) : block}
            places={withinBlock(places, blocks, index)}
          />
        ))}
      </div>
    </Refs>
  );
});

// Chinese writes ranges as 10~20, which must not strike anything through.
const REMARK: ComponentProps<typeof ReactMarkdown>["remarkPlugins"] = [
  [remarkGfm, { singleTilde: false }],
  remarkCjkFriendly,
];
// Images give way to their words; which links lead anywhere is decided by the link itself.
const REHYPE: ComponentProps<typeof ReactMarkdown>["rehypePlugins"] = [
  [harden, { allowedLinkPrefixes: ["*"], linkBlockPolicy: "text-only", imageBlockPolicy: "text-only" }],
];

const Block = memo(function Block({ text, places }: { text: string; places: readonly Place[] }) {
  const rehype: typeof REHYPE = [...(REHYPE ?? []), [markFigures, places], spellOut];
  return (
    <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={rehype} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  );
});

function AnswerLink({ href, children, node }: { href?: string; children?: ReactNode; node?: Element | undefined }) {
  const target = linkTarget(href, use(Refs), window.location.origin);
  if (target.kind === "none") return children;
  if (target.kind === "record") return <RecordLink record={target.record}>{children}</RecordLink>;
  return (
    <ExternalLink href={target.href} host={target.host} bare={wordsOf(node) === href}>
      {children}
    </ExternalLink>
  );
}

function wordsOf(node: Element | undefined): string {
  return node?.children.map((child) => (child.type === "text" ? child.value : "")).join("") ?? "";
}

// The panel has a heading of the second level of its own.
const COMPONENTS: Components = {
  a: AnswerLink,
  img: ({ alt }) => alt,
  mark: Unverified,
  table: ({ children }) => <TableBox>{children}</TableBox>,
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
  pre: ({ children }) => (
    // A scroll box must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre tabIndex={0}>{children}</pre>
  ),
};
