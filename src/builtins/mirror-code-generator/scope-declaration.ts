/** What TypeScript is told of the package while it checks the code of a skill: the scope that an action is given. */
export const scopeDeclaration = `declare module 'skilled' {
  export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
  export interface JsonObject {
    readonly [key: string]: Json;
  }
  export interface ErrorData {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly details?: Json;
  }
  export type Output =
    | { readonly status: 'done'; readonly text: string; readonly value?: Json; readonly variables?: JsonObject }
    | { readonly status: 'failed'; readonly text: string; readonly error: ErrorData };
  export interface CodeModelOptions {
    readonly tier?: string;
    readonly schema?: JsonObject;
    readonly system?: string;
  }
  export interface CodeScope {
    readonly skill: string;
    readonly runId: string;
    readonly session: string;
    readonly signal: AbortSignal;
    call(name: string, input?: Json): Promise<Output>;
    model(prompt: string, options?: CodeModelOptions): Promise<Json>;
    note(message: string, data?: Json): void;
  }
}
`;
