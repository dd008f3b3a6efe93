import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { createBrowserRouter, createRoutesFromElements, Navigate, Route, RouterProvider } from "react-router-dom";

import { ToastProvider } from "@/components/ui/Toast";
import { AIConfigPage } from "@/features/admin/AIConfigPage";
import { ApprovalRulePage } from "@/features/admin/ApprovalRulePage";
import { ApprovalRulesPage } from "@/features/admin/ApprovalRulesPage";
import { NewApprovalRulePage } from "@/features/admin/NewApprovalRulePage";
import { TurnPage } from "@/features/admin/TurnPage";
import { TurnsPage } from "@/features/admin/TurnsPage";
import { UsagePage } from "@/features/admin/UsagePage";
import { LoginPage } from "@/features/auth/LoginPage";
import { SetupPage } from "@/features/auth/SetupPage";
import { CompaniesPage } from "@/features/companies/CompaniesPage";
import { CompanyPage } from "@/features/companies/CompanyPage";
import { ContactPage } from "@/features/contacts/ContactPage";
import { ContactsPage } from "@/features/contacts/ContactsPage";
import { NewContactPage } from "@/features/contacts/NewContactPage";
import { DealPage } from "@/features/deals/DealPage";
import { DealsPage } from "@/features/deals/DealsPage";
import { NewQuotationPage } from "@/features/quotations/NewQuotationPage";
import { QuotationPage } from "@/features/quotations/QuotationPage";
import { QuotationsPage } from "@/features/quotations/QuotationsPage";
import { ActivityPage } from "@/features/records/ActivityPage";
import { ProductPage } from "@/features/records/ProductPage";
import { NewTaskPage } from "@/features/tasks/NewTaskPage";
import { TaskPage } from "@/features/tasks/TaskPage";
import { WaitingPage } from "@/features/assistant/WaitingPage";
import { TasksPage } from "@/features/tasks/TasksPage";

import { NotFoundPage } from "./NotFoundPage";
import { PublicLayout } from "./PublicLayout";
import { newQueryClient } from "./queryClient";
import { RequirePermission } from "./RequirePermission";
import { SessionGate } from "./SessionGate";

export function App() {
  const [client] = useState(newQueryClient);
  const [router] = useState(() => createBrowserRouter(createRoutesFromElements(ROUTES)));
  return (
    <QueryClientProvider client={client}>
      <ToastProvider>
        <RouterProvider router={router} />
      </ToastProvider>
    </QueryClientProvider>
  );
}

const ROUTES = (
  <>
    <Route element={<PublicLayout />}>
      <Route path="/login" element={<LoginPage />} />
      <Route path="/setup" element={<SetupPage />} />
    </Route>
    <Route element={<SessionGate />}>
      <Route index element={<Navigate to="/deals" replace />} />
      <Route path="/deals" element={<DealsPage />} />
      <Route path="/deals/:id" element={<DealPage />} />
      <Route path="/companies" element={<CompaniesPage />} />
      <Route path="/companies/:id" element={<CompanyPage />} />
      <Route path="/contacts" element={<ContactsPage />} />
      <Route path="/contacts/new" element={<NewContactPage />} />
      <Route path="/contacts/:id" element={<ContactPage />} />
      <Route path="/tasks" element={<TasksPage />} />
      <Route path="/tasks/new" element={<NewTaskPage />} />
      <Route path="/tasks/:id" element={<TaskPage />} />
      <Route path="/quotations" element={<QuotationsPage />} />
      <Route path="/quotations/new" element={<NewQuotationPage />} />
      <Route path="/quotations/:id" element={<QuotationPage />} />
      <Route path="/waiting" element={<WaitingPage />} />
      <Route path="/activities/:id" element={<ActivityPage />} />
      <Route path="/products/:id" element={<ProductPage />} />
      <Route
        path="/admin/ai-config"
        element={
          <RequirePermission permission="ai-config:read">
            <AIConfigPage />
          </RequirePermission>
        }
      />
      <Route
        path="/admin/usage"
        element={
          <RequirePermission permission="usage:read">
            <UsagePage />
          </RequirePermission>
        }
      />
      <Route
        path="/admin/turns"
        element={
          <RequirePermission permission="audit:read">
            <TurnsPage />
          </RequirePermission>
        }
      />
      <Route
        path="/admin/turns/:id"
        element={
          <RequirePermission permission="audit:read">
            <TurnPage />
          </RequirePermission>
        }
      />
      <Route
        path="/admin/approval-rules"
        element={
          <RequirePermission permission="approval-rule:read">
            <ApprovalRulesPage />
          </RequirePermission>
        }
      />
      <Route
        path="/admin/approval-rules/new"
        element={
          <RequirePermission permission="approval-rule:update">
            <NewApprovalRulePage />
          </RequirePermission>
        }
      />
      <Route
        path="/admin/approval-rules/:id"
        element={
          <RequirePermission permission="approval-rule:update">
            <ApprovalRulePage />
          </RequirePermission>
        }
      />
      <Route path="*" element={<NotFoundPage />} />
    </Route>
  </>
);
