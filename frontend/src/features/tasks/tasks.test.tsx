import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router-dom";
import { describe, expect, it } from "vitest";

import { sessionKeys } from "@/api/session";
import type { Scope, Task } from "@/api/types";
import { meWith } from "@/test/me";
import { renderApp } from "@/test/render";
import { json, playServer, problem, type Call } from "@/test/server";

import { NewTaskPage } from "./NewTaskPage";
import { TaskPage } from "./TaskPage";
import { TasksPage } from "./TasksPage";

const ring: Task = {
  id: "t1",
  title: "Ring Amy",
  dueAt: "2020-11-29T10:00:00Z",
  assigneeId: "u1",
  assigneeName: "Sally",
  dealId: "d1",
  dealTitle: "Acme renewal",
  contactId: "k1",
  version: 2,
  createdAt: "2020-11-01T00:00:00Z",
  updatedAt: "2020-11-01T00:00:00Z",
};
const done: Task = { ...ring, doneAt: "2026-11-29T04:05:00Z", version: 3 };
const empty = { items: [], total: 0 };

function page(path: string, routes: Parameters<typeof playServer>[0] = {}, scope: Scope = "own") {
  const calls = playServer({
    "GET /api/tasks": () => json({ items: [ring], total: 1 }),
    "GET /api/tasks/t1": () => json(ring),
    "GET /api/tasks/t1/history": () => json(empty),
    "GET /api/pipelines": () => json(empty),
    "GET /api/deals/d1": () => json({ id: "d1", title: "Acme renewal" }),
    ...routes,
  });
  const ui = (
    <Routes>
      <Route path="/tasks" element={<TasksPage />} />
      <Route path="/tasks/new" element={<NewTaskPage />} />
      <Route path="/tasks/:id" element={<TaskPage />} />
    </Routes>
  );
  const view = renderApp(ui, { path });
  view.client.setQueryData(sessionKeys.me, meWith(scope, "task:read", "task:create", "task:update"));
  return { ...view, calls };
}

const wrote = (calls: Call[]) =>
  calls
    .filter(({ method }) => method !== "GET")
    .map(({ method, headers, body }) => [method, headers.get("If-Match"), body]);
const asked = (calls: Call[]) => calls.filter(({ path }) => path.startsWith("/api/tasks?")).at(-1)?.path;
const complete = () => screen.findByRole("button", { name: "Mark “Ring Amy” as done" });

describe("the list", () => {
  it("shows one's own open tasks by their dates, and says in words which is late", async () => {
    const { calls } = page("/tasks");
    const row = within(await screen.findByRole("listitem"));
    expect(asked(calls)).toBe("/api/tasks?assigneeId=u1&status=open&sort=dueAt&limit=50");
    expect(row.getByText("Overdue")).toBeTruthy();
    expect(row.getByText("29 Nov 2020, 6:00 pm")).toBeTruthy();
    expect(row.getByRole("link", { name: "Ring Amy" }).getAttribute("href")).toBe("/tasks/t1");
    expect(row.getByRole("link", { name: "Acme renewal" }).getAttribute("href")).toBe("/deals/d1");
    // A contact whose name the server keeps back is not linked.
    expect(row.getAllByRole("link")).toHaveLength(2);
  });

  it.each([
    ["Done", "status=done&sort=-updatedAt"],
    ["All", "sort=-updatedAt"],
    ["Overdue", expect.stringMatching(/status=open&dueBefore=20\d\d-.*&sort=dueAt/) as string],
  ])("shows what is %s, keeps that in the URL, and can be cleared", async (name, query) => {
    const { calls, router } = page("/tasks", { "GET /api/tasks": () => json(empty) });
    await screen.findByText("You have no open tasks.");
    await userEvent.selectOptions(screen.getByLabelText("Show"), name);
    await screen.findByText("No task fits these filters.");
    const sent = asked(calls)?.replace("/api/tasks?assigneeId=u1&", "").replace("&limit=50", "");
    expect(sent).toEqual(query);
    expect(router.state.location.search).toBe(`?show=${name.toLowerCase()}`);
    await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    expect(router.state.location.search).toBe("");
  });

  it("shows everybody's to those who may see them", async () => {
    const { calls } = page("/tasks", {}, "team");
    await userEvent.selectOptions(await screen.findByLabelText("Assignee"), "Everyone’s");
    await waitFor(() => {
      expect(asked(calls)).toBe("/api/tasks?status=open&sort=dueAt&limit=50");
    });
  });

  it("completes with one click at the version seen, keeps the focus, and takes it back by Undo", async () => {
    let stored = ring;
    const { calls } = page("/tasks", {
      "GET /api/tasks": () => json(stored.doneAt ? empty : { items: [stored, { ...ring, id: "t2", title: "Other" }] }),
      "PATCH /api/tasks/t1": ({ body }) => {
        stored = (body as { doneAt: string | null }).doneAt ? done : { ...ring, version: 4 };
        if (stored.doneAt) return json(done);
        return json(stored);
      },
    });
    await userEvent.click(await complete());
    await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await screen.findByText("“Ring Amy” is open again.");
    const moment = expect.stringMatching(/^20\d\d-\d\d-\d\dT/) as string;
    expect(wrote(calls)).toEqual([
      ["PATCH", '"2"', { doneAt: moment }],
      ["PATCH", '"3"', { doneAt: null }],
    ]);
  });

  it("gives the focus of a row that is gone to the list", async () => {
    let items = [ring, { ...ring, id: "t2", title: "Other" }];
    page("/tasks", {
      "GET /api/tasks": () => json({ items, total: items.length }),
      "PATCH /api/tasks/t1": () => {
        items = items.slice(1);
        return json(done);
      },
    });
    await userEvent.click(await complete());
    await waitFor(() => {
      expect(screen.getAllByRole("listitem")).toHaveLength(1);
    });
    expect(document.activeElement).toBe(screen.getByRole("list", { name: "Tasks" }));
  });

  it("says that a task was changed meanwhile, and shows it as it is now", async () => {
    let stored = ring;
    page("/tasks", {
      "GET /api/tasks": () => json({ items: [stored], total: 1 }),
      "PATCH /api/tasks/t1": () => {
        stored = { ...ring, title: "Ring Amy today", version: 3 };
        return problem(409, "STALE", { current: stored });
      },
    });
    await userEvent.click(await complete());
    await screen.findByText(/^Somebody else changed “Ring Amy” meanwhile/);
    await screen.findByRole("link", { name: "Ring Amy today" });
  });

  it("has no button for tasks that are not the person's to change", async () => {
    page("/tasks", { "GET /api/tasks": () => json({ items: [{ ...ring, assigneeId: "u2" }], total: 1 }) });
    await screen.findByRole("link", { name: "Ring Amy" });
    expect(screen.queryByRole("button", { name: /^Mark/ })).toBeNull();
  });
});

describe("a task", () => {
  it("can be marked as done, opened again, and changed where it is due, in Hong Kong time", async () => {
    let stored = ring;
    const { calls } = page("/tasks/t1", {
      "GET /api/tasks/t1": () => json(stored),
      "PATCH /api/tasks/t1": ({ body }) => {
        stored = { ...stored, ...(body as Partial<Task>), version: stored.version + 1 };
        return json(stored);
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Mark as done" }));
    await userEvent.click(await screen.findByRole("button", { name: "Open again" }));
    await screen.findByRole("button", { name: "Mark as done" });
    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    const due = screen.getByLabelText<HTMLInputElement>("Due");
    expect(due.value).toBe("2020-11-29T18:00");
    await userEvent.clear(due);
    await userEvent.type(due, "2026-12-01T09:30");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await screen.findByText("1 Dec 2026, 9:30 am");
    expect(wrote(calls).slice(1)).toEqual([
      ["PATCH", '"3"', { doneAt: null }],
      ["PATCH", '"4"', { dueAt: "2026-12-01T01:30:00.000Z" }],
    ]);
  });

  it("says in words when it cannot be seen", async () => {
    page("/tasks/t1", { "GET /api/tasks/t1": () => problem(404, "NOT_FOUND") });
    expect((await screen.findByRole("alert")).textContent).toContain("no access to it");
  });
});

describe("a new task", () => {
  it("is about the record of the address, and leads back to it", async () => {
    const { calls, router } = page("/tasks/new?deal=d1", { "POST /api/tasks": () => json(ring, 201) });
    expect((await screen.findByLabelText<HTMLInputElement>("Deal")).value).toBe("Acme renewal");
    expect(screen.queryByLabelText("Assignee")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Add task" }));
    await screen.findByText("Fill this in.");
    await userEvent.type(screen.getByLabelText("What is to be done"), "Ring Amy{Enter}");
    await waitFor(() => {
      expect(router.state.location.pathname).toBe("/deals/d1");
    });
    expect(wrote(calls)).toEqual([["POST", null, { title: "Ring Amy", dealId: "d1" }]]);
  });

  it("may go to a colleague where the right reaches further than one's own", async () => {
    const wing = { type: "person", id: "u2", name: "Wing", detail: "Kowloon" };
    const { calls } = page(
      "/tasks/new",
      {
        "GET /api/resolve/person": () => json({ candidates: [wing] }),
        "POST /api/tasks": () => json(ring, 201),
      },
      "team",
    );
    await userEvent.type(await screen.findByLabelText("What is to be done"), "Visit");
    await userEvent.type(screen.getByLabelText("Assignee"), "win");
    await userEvent.click(await screen.findByRole("option", { name: /Wing/ }));
    await userEvent.click(screen.getByRole("button", { name: "Add task" }));
    await screen.findByText("“Ring Amy” was added.");
    expect(wrote(calls)).toEqual([["POST", null, { title: "Visit", assigneeId: "u2" }]]);
  });
});
