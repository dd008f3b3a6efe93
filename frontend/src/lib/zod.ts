import * as z from "zod";

// The content security policy forbids eval, which zod would otherwise try for its fast path.
z.config({ jitless: true });

export { z };
