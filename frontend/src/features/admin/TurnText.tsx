import { CopyButton } from "@/components/ui/CopyButton";

/** A text as it is, long lines broken, with a button that copies it. */
export function TurnText({ text }: { text: string }) {
  if (text === "") return null;
  return (
    <div className="space-y-1">
      <pre className="max-h-96 overflow-auto rounded-lg bg-raised p-3 font-mono text-xs break-words whitespace-pre-wrap">
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

/** A value as indented JSON; a text that is JSON itself, too. */
export function TurnJSON({ value }: { value: unknown }) {
  return <TurnText text={typeof value === "string" ? indented(value) : JSON.stringify(value, undefined, 2)} />;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
