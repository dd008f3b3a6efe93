import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";

import { i18n, startI18n } from "@/i18n";

startI18n("en");
// A busy machine draws late; a test that waits for nothing pays nothing.
configure({ asyncUtilTimeout: 10_000 });

beforeEach(async () => {
  localStorage.clear();
  await i18n.changeLanguage("en");
});

afterEach(() => {
  cleanup();
});
