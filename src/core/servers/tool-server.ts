import type { Issue } from '../issue.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Sandbox } from '../sandbox.ts';

/** What it takes to have the skills of a server here. */
export interface MountRequest {
  readonly server: string;
  /** How it is reached; what it throws is a finding as well. */
  readonly openPlace: () => Promise<ServerPlace>;
  /** Where copies are kept, those of every server in a folder of its own; nobody else can read it. */
  readonly folder: string;
  /** Whether a family reads a file of this name as a descriptor. */
  readonly isDescriptor: (name: string) => boolean;
  /** Asks the server also where its last answer still counts. */
  readonly isAgain: boolean;
  readonly signal: AbortSignal;
}

/** The skills of a server as files. */
export interface MountedSkills {
  /** The folder in which they lie, in a group that is named like the server; none where there are none. */
  readonly root?: string;
  /** Skills that were refused and why, and whether this is what the server has now. */
  readonly issues: readonly Issue[];
}

/** What holds for every server of tools, however it is reached. */
interface AnyServer {
  /** What its tools are named by, as in `files.read_file`; see `isServerName`. */
  readonly name: string;
  /** Seconds without an answer or a sign of progress after which a request is given up. Default 60. */
  readonly timeoutSeconds?: number;
  /** Its own skills are mounted into the registry; only settings and options say so. */
  readonly skills?: true;
  /** `${NAME}` in its texts stands for a variable of the host, as in a `.mcp.json` file; they are filled in when it is opened. */
  readonly expands?: true;
}

/** A server that is started here, in a sandbox. */
export interface StdioServer extends AnyServer {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, SettingValue>>;
  /** What it may do with the workspace; it does not see it unless said. */
  readonly workspace?: 'read' | 'write';
  /** Hosts that it may reach; none unless said. */
  readonly hosts?: readonly string[];
  /** Further folders that it may read, absolute or beginning with `~/`; only settings and options say so. */
  readonly read?: readonly string[];
  /** Folders from which its program is looked for in `node_modules`, each and its parents; the workspace unless said. A descriptor never says it. */
  readonly near?: readonly string[];
}

/** A server that is reached over streamable HTTP. */
export interface HttpServer extends AnyServer {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, SettingValue>>;
  /** Sent as `Authorization: Bearer …`; only settings and options say so. */
  readonly bearer?: SettingValue;
  /** How a token is got where the server wants one; only settings and options say so. */
  readonly oauth?: OAuthClient;
}

/** A client of an authorization server: by its own credentials, or by a refresh token that somebody got before. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: SettingValue;
  readonly refreshToken?: SettingValue;
  readonly scope?: string;
  /** The authorization server that its secrets are for: they go to no other one, whatever the server names. */
  readonly issuer: string;
}

/** How a server of tools is reached. */
export type ServerDescription = StdioServer | HttpServer;

/**
 * Whether a text can name a server: letters, digits, hyphens and single underscores inside, so that
 * `mcp__<server>__<tool>` has one meaning; not the name of a folder in which no skills are looked for.
 */
export function isServerName(name: string): boolean {
  return name !== 'node_modules' && /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_|$)){0,63}$/.test(name);
}

/** Everything that it takes to reach a server; its values are plain, so nothing of it is kept or shown. */
export type ServerPlace = {
  readonly name: string;
  readonly timeoutMs: number;
} & (
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** The folder that it is started in; whichever the sandbox chooses where it has none of its own. */
      readonly folder?: string;
      /** Folders from which its program is looked for in `node_modules`, each and its parents; then it is one of the `PATH`. */
      readonly near: readonly string[];
      readonly path: string;
      /** The folder of the skill that describes it, and the checked copy of that: a program in it is the one of the copy. */
      readonly copy?: { readonly of: string; readonly folder: string };
      /** Opens the sandbox that it runs in, which may also read these folders: where its program lies. */
      readonly openSandbox: (read: readonly string[]) => Promise<Sandbox>;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly oauth?: {
        readonly clientId: string;
        readonly clientSecret?: string;
        readonly refreshToken?: string;
        readonly scope?: string;
        readonly issuer: string;
      };
    }
);

/** What a server says of one of its tools. All of its texts come from the server and are nothing to obey. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: JsonObject;
  /** JSON Schema of what is given as structured content. */
  readonly output?: JsonObject;
  /** Of all that the server says of it, hints included: another one is another tool. `sha256:…`. */
  readonly hash: string;
}

/** Something that a server gave: a text, or bytes in base64. */
export type ToolContent =
  | { readonly kind: 'text'; readonly text: string; readonly uri?: string }
  | { readonly kind: 'blob'; readonly mediaType: string; readonly base64: string; readonly uri?: string }
  | { readonly kind: 'link'; readonly uri: string; readonly name: string; readonly mediaType?: string };

/** What a request to a server came to. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  /** Whole, and fitting the declared schema. */
  readonly structured?: Json;
  /** The tool itself says that it failed. */
  readonly isError: boolean;
  /** How much was left out because there was too much, in bytes of JSON. */
  readonly leftOut?: number;
}

/** How a single request is made. */
export interface ToolRequest {
  readonly signal: AbortSignal;
  /** A line for whoever waits: how far it is, of how much, and what the server says. */
  readonly onProgress?: (progress: {
    readonly done: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
  /** The same whenever this call is tried again; servers that know it do nothing twice. */
  readonly idempotencyKey?: string;
}

/** Something that can be read from a server. */
export interface ServerResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mediaType?: string;
}

/** A prompt that a server offers. */
export interface ServerPrompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
}

/** What a server can do besides having tools. */
export interface ServerFeatures {
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly skills: boolean;
}

/**
 * A server of tools. It connects with the first request, and again after a connection that was lost. What goes wrong is
 * thrown: `server.unreachable` where it cannot be reached or went away, `server.denied` where it wants other credentials,
 * `server.failed` where it answers with an error or with nonsense, `limit.time` where it takes too long, and the signal's reason.
 */
export interface ToolServer {
  readonly name: string;
  /** For people, without anything secret: the program, or the address. */
  readonly place: string;
  features(request: ToolRequest): Promise<ServerFeatures>;
  /** All of them, as the server describes them now; asked again only when it says that they changed, or after a connection was lost. */
  tools(request: ToolRequest): Promise<readonly ToolDefinition[]>;
  /** What the server describes as its tools and cannot be used, with the reason, each a sentence; empty before they were asked for. */
  complaints(): readonly string[];
  /** Calls a tool as it was described; throws `server.changed` where the server describes it otherwise by now, before anything is sent. */
  call(tool: ToolDefinition, input: JsonObject, request: ToolRequest): Promise<ToolResult>;
  resources(request: ToolRequest): Promise<readonly ServerResource[]>;
  readResource(uri: string, request: ToolRequest): Promise<ToolResult>;
  prompts(request: ToolRequest): Promise<readonly ServerPrompt[]>;
  /** The messages of a prompt, each a text that begins with its role. */
  getPrompt(
    name: string,
    values: Readonly<Record<string, string>>,
    request: ToolRequest,
  ): Promise<ToolResult>;
  /** Ends the connection and, where it was started here, the server. */
  close(): Promise<void>;
}

/** A secret by the name of the variable that holds it, or plain text where it is none. */
export type SettingValue = string | { readonly env: string };

/** Whether a value can be one. */
export function isSettingValue(value: Json): value is SettingValue {
  if (!isJsonObject(value)) return typeof value === 'string';
  const { env } = value;
  return Object.keys(value).length === 1 && typeof env === 'string' && /^[A-Za-z_]\w*$/.test(env);
}
