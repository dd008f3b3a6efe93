import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "@/app/App";
import { startI18n } from "@/i18n";
import { watchComposition } from "@/lib/ime";

import "./index.css";

startI18n();
watchComposition();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
