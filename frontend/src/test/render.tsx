import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { createContext, use, type ReactNode } from "react";
import { createMemoryRouter, RouterProvider } from "react-router-dom";

import { ToastProvider } from "@/components/ui/Toast";

const Content = createContext<ReactNode>(null);

function Page() {
  return use(Content);
}

/** Renders with what every page has around it; what is rendered again has it too. */
export function renderApp(ui: ReactNode, { path = "/" } = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = createMemoryRouter([{ path: "*", element: <Page /> }], { initialEntries: [path] });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>
      <ToastProvider>
        <Content value={children}>
          <RouterProvider router={router} />
        </Content>
      </ToastProvider>
    </QueryClientProvider>
  );
  return { client, router, ...render(ui, { wrapper }) };
}
