import { cn } from "@/lib/cn";

/** The name of the product is the same in every language. A crowded header shows the symbol alone. */
export function Brand({ compact = false }: { compact?: boolean }) {
  return (
    <span className="flex items-center gap-2 font-semibold" translate="no">
      <img src="/favicon.svg" alt="" className="size-6" />
      <span className={cn(compact && "max-[430px]:sr-only")}>Countersign</span>
    </span>
  );
}
