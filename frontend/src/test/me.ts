import type { Me, Scope } from "@/api/types";

/** Somebody with the same scope of all these rights. */
export function meWith(scope: Scope, ...permissions: string[]): Me {
  return {
    user: { id: "u1", name: "Sally", email: "sales@demo.test", role: "sales", roleName: "Sales" },
    permissions: permissions.map((permission) => ({ permission, scope })),
    demo: false,
  };
}
