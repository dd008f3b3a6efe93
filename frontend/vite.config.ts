/// <reference types="vitest/config" />
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = process.env.COUNTERSIGN_DEV_SERVER ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: { proxy: { "/api": { target: server, changeOrigin: true } } },
  // One bundle: the whole UI is smaller than the pictures of most pages, and an old tab never misses a chunk.
  build: { target: "es2023", assetsInlineLimit: 0, chunkSizeWarningLimit: 1_000 },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
    restoreMocks: true,
    testTimeout: 30_000,
  },
});
