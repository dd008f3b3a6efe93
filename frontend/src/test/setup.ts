import { cleanup } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";

import { i18n, startI18n } from "@/i18n";

startI18n("en");

beforeEach(async () => {
  localStorage.clear();
  await i18n.changeLanguage("en");
});

afterEach(() => {
  cleanup();
});
