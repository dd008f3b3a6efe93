import { Outlet } from "react-router-dom";

import { useStatus } from "@/api/session";

import { Brand } from "./Brand";
import { DemoBanner } from "./DemoBanner";
import { LanguageSwitch } from "./LanguageSwitch";

/** The frame of the pages that need no session. */
export function PublicLayout() {
  const status = useStatus();
  return (
    <div className="flex min-h-dvh flex-col">
      <header>
        {status.data?.demo && <DemoBanner />}
        <div className="flex items-center justify-between px-4 py-3">
          <Brand />
          <LanguageSwitch />
        </div>
      </header>
      <main className="flex flex-1 items-start justify-center px-4 py-6 sm:pt-16">
        <div className="w-full max-w-md space-y-5 rounded-2xl border border-line bg-surface p-6 shadow-sm">
          <Outlet />
        </div>
      </main>
    </div>
  );
}
