import type { Issue } from '../issue.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Sandbox } from '../sandbox.ts';

/** A request to mount a server's skills. */
export interface MountRequest {
  readonly server: string;
  /** Resolves the server's endpoint. If it throws, the error is reported as an issue. */
  readonly resolveEndpoint: () => Promise<ServerEndpoint>;
  /** The folder for the copied skills, with one subfolder per server. Only the current user can read it. */
  readonly folder: string;
  /** Whether any family treats a file with this name as a descriptor. */
  readonly isDescriptor: (name: string) => boolean;
  /** Whether to query the server even if its cached response has not expired. */
  readonly isAgain: boolean;
  readonly signal: AbortSignal;
}

/** A server's skills, copied to files. */
export interface MountedSkills {
  /** The folder that contains the skills, in a group named after the server. Absent if there are none. */
  readonly root?: string;
  /** Issues about rejected skills, an outdated copy or a server that cannot be used. */
  readonly issues: readonly Issue[];
}

/** The fields that all MCP servers have, regardless of their transport. */
interface AnyServer {
  /**
   * The server's name, which is also the prefix of its tool names, as in `files.read_file`. It consists of
   * letters, digits, hyphens and single underscores.
   */
  readonly name: string;
  /** The time without a response or progress after which a request times out, in seconds. Default: 60. */
  readonly timeoutSeconds?: number;
  /** Whether to add the server's own skills to the registry. Only settings and options can set this. */
  readonly skills?: true;
  /**
   * Whether to replace `${NAME}` in the server's strings with environment variables of the host, as in a
   * `.mcp.json` file. The replacement happens when the server is opened.
   */
  readonly expands?: true;
}

/** A server that runs on this machine, in a sandbox. */
export interface StdioServer extends AnyServer {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, SettingValue>>;
  /** The server's access to the workspace. Default: none. */
  readonly workspace?: 'read' | 'write';
  /** Hosts that the server may connect to. Default: none. */
  readonly hosts?: readonly string[];
  /**
   * Additional folders that the server may read, absolute or starting with `~/`. Only settings and options
   * can set them.
   */
  readonly read?: readonly string[];
  /**
   * Folders to search for the server's program, including `node_modules` in these folders and their parents.
   * Default: the workspace. Never set by a descriptor.
   */
  readonly near?: readonly string[];
}

/** A server that is reached over streamable HTTP. */
export interface HttpServer extends AnyServer {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, SettingValue>>;
  /** The token sent as `Authorization: Bearer …`. Only settings and options can set it. */
  readonly bearer?: SettingValue;
  /** The client that obtains a token if the server requires one. Only settings and options can set this. */
  readonly oauth?: OAuthClient;
}

/** A client of an authorization server. It uses its own credentials or a refresh token obtained earlier. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: SettingValue;
  readonly refreshToken?: SettingValue;
  readonly scope?: string;
  /**
   * The only authorization server that receives the client's secrets, even if the MCP server specifies a
   * different one.
   */
  readonly issuer: string;
}

/** A description of how to start or reach a server. */
export type ServerDescription = StdioServer | HttpServer;

/**
 * Whether a string is a valid server name: letters, digits, hyphens and single inner underscores, so that
 * `mcp__<server>__<tool>` is unambiguous. Names of folders that are never searched for skills are invalid.
 */
export function isServerName(name: string): boolean {
  return name !== 'node_modules' && /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_|$)){0,63}$/.test(name);
}

/** A server's resolved endpoint. It contains secrets in plain text, so it is never stored or shown. */
export type ServerEndpoint = {
  readonly name: string;
  readonly timeoutMs: number;
} & (
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** The folder in which the server is started. If absent, the sandbox chooses one. */
      readonly folder?: string;
      /**
       * Folders to search for the server's program before the `PATH`, including `node_modules` in these
       * folders and their parents.
       */
      readonly near: readonly string[];
      readonly path: string;
      /**
       * The folder of the skill that describes the server, and a verified copy of it. The server's programs
       * run from the copy.
       */
      readonly copy?: { readonly of: string; readonly folder: string };
      /**
       * Opens the sandbox in which the server runs. The sandbox may also read the folders in `read`, which
       * contain the server's program.
       */
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

/** A tool as its server describes it. All of its text is data from the server, not instructions. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** The JSON Schema of the tool's input, which is an object. */
  readonly input: JsonObject;
  /** The JSON Schema of the tool's structured content. */
  readonly output?: JsonObject;
  /**
   * The hash of the server's full description of the tool, including hints, as `sha256:…`. A different hash
   * means a different tool.
   */
  readonly hash: string;
}

/** Content from a server: text, base64-encoded bytes, or a link. */
export type ToolContent =
  | { readonly kind: 'text'; readonly text: string; readonly uri?: string }
  | { readonly kind: 'blob'; readonly mediaType: string; readonly base64: string; readonly uri?: string }
  | { readonly kind: 'link'; readonly uri: string; readonly name: string; readonly mediaType?: string };

/** The result of a request to a server. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  /** The complete structured content, which matches the declared schema. */
  readonly structured?: Json;
  /** Whether the tool itself reported a failure. */
  readonly isError: boolean;
  /** The size of the omitted content as JSON, in bytes. Absent if nothing was omitted. */
  readonly leftOut?: number;
}

/** Options for a single request. */
export interface ToolRequest {
  readonly signal: AbortSignal;
  /** Called on progress with the completed amount, the total, and the server's message. */
  readonly onProgress?: (progress: {
    readonly done: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
  /**
   * A key that stays the same when this call is retried. Servers that support such keys never perform a call
   * twice.
   */
  readonly idempotencyKey?: string;
}

/** A resource that can be read from a server. */
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

/** The features of a server other than tools. */
export interface ServerFeatures {
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly skills: boolean;
}

/**
 * An MCP server. It connects on the first request and reconnects after a lost connection. Its methods throw
 * `server.unreachable` if it cannot be reached or has disconnected, `server.denied` if it rejects the
 * credentials, `server.failed` if it responds with an error or an invalid message, `limit.time` if it takes
 * too long, and the signal's reason if the signal aborts.
 */
export interface ToolServer {
  readonly name: string;
  /** The server's program or address, for display. Contains no secrets. */
  readonly endpoint: string;
  /** @deprecated Use `endpoint`. */
  readonly place?: string;
  features(request: ToolRequest): Promise<ServerFeatures>;
  /**
   * Returns all tools as the server currently describes them. They are requested again only after the server
   * reports a change or the connection is lost.
   */
  tools(request: ToolRequest): Promise<readonly ToolDefinition[]>;
  /**
   * Returns the reasons why some of the server's tools cannot be used, one sentence each. Empty until the
   * tools have been requested.
   */
  complaints(): readonly string[];
  /**
   * Calls a tool as described. If the server's description of the tool has changed since, throws
   * `server.changed` before sending anything.
   */
  call(tool: ToolDefinition, input: JsonObject, request: ToolRequest): Promise<ToolResult>;
  resources(request: ToolRequest): Promise<readonly ServerResource[]>;
  readResource(uri: string, request: ToolRequest): Promise<ToolResult>;
  prompts(request: ToolRequest): Promise<readonly ServerPrompt[]>;
  /** Returns a prompt's messages, each as text that begins with its role. */
  getPrompt(
    name: string,
    values: Readonly<Record<string, string>>,
    request: ToolRequest,
  ): Promise<ToolResult>;
  /** Closes the connection and, if the server was started here, stops the server. */
  close(): Promise<void>;
}

/** Plain text, or the name of the environment variable that contains a secret. */
export type SettingValue = string | { readonly env: string };

/** Whether a value is plain text or a valid reference to a secret. */
export function isSettingValue(value: Json): value is SettingValue {
  if (!isJsonObject(value)) return typeof value === 'string';
  const { env } = value;
  return Object.keys(value).length === 1 && typeof env === 'string' && /^[A-Za-z_]\w*$/.test(env);
}
