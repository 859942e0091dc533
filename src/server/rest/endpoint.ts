import { Hono } from 'hono';
import type { z } from 'zod';
import { AgentError } from '../../core/index.ts';
import { mustHaveScope, type Caller } from '../caller.ts';
import type { KeyScope } from '../keys/principal.ts';
import type { ServerContext } from '../route-group.ts';

/** The context of a request, besides its input. */
export interface RestCall {
  readonly context: ServerContext;
  readonly caller: Caller;
  /** The request. Its body has been read. */
  readonly request: Request;
  /** The body as text. */
  readonly text: string;
}

type Schema = z.ZodType | undefined;
type Parsed<One extends Schema> = One extends z.ZodType ? z.output<One> : undefined;

/** One endpoint: its place, its schemas, which both validate and document it, and its work. */
export interface EndpointSpec<Params extends Schema, Query extends Schema, Body extends Schema> {
  readonly method: 'get' | 'post' | 'delete';
  /** The path with parameters in braces, such as `/v1/runs/{id}`. */
  readonly path: string;
  /** The name of the operation in the API's description. Unique. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** The scope that a key needs. */
  readonly scope: KeyScope;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Whether the body may be left out. */
  readonly isBodyOptional?: boolean;
  /** The schema of the response with status 200, or of the status given. */
  readonly response: z.ZodType;
  readonly status?: number;
  /** Other content types of the response, such as `text/event-stream`. */
  readonly otherTypes?: readonly string[];
  /** Returns the body of the response, or the response itself. */
  handle(
    input: { readonly params: Parsed<Params>; readonly query: Parsed<Query>; readonly body: Parsed<Body> },
    call: RestCall,
  ): Promise<unknown>;
}

/** An endpoint whose input types have been erased. */
export type Endpoint = EndpointSpec<Schema, Schema, Schema>;

/** Defines an endpoint. */
export function defineEndpoint<
  Params extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
>(spec: EndpointSpec<Params, Query, Body>): Endpoint {
  return spec;
}

/** The parts that match a request to its endpoint. */
export interface RestEnv {
  readonly Bindings: { readonly context: ServerContext; readonly caller: Caller };
}

/** Creates the application with these endpoints. */
export function createRestApp(endpoints: readonly Endpoint[]): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  for (const endpoint of endpoints) addEndpoint(app, endpoint);
  app.notFound(({ req }) => {
    const path = new URL(req.url).pathname;
    const known = endpoints.filter((one) => matches(one.path, path));
    throw known.length === 0 ? noPath(path) : wrongMethod(req.method, known);
  });
  app.onError((thrown) => {
    throw thrown;
  });
  return app;
}

function addEndpoint(app: Hono<RestEnv>, endpoint: Endpoint): void {
  const { method, path, scope, status = 200, params, query, body, isBodyOptional } = endpoint;
  const isEmpty = status === 204;
  app.on(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'), async (c) => {
    const { context, caller } = c.env;
    mustHaveScope(caller, scope);
    const text = body === undefined ? '' : await c.req.raw.text();
    const input = {
      params: parse(params, c.req.param(), 'path'),
      query: parse(query, singleValues(c.req.queries()), 'query'),
      body: body === undefined ? undefined : parse(body, readJson(c.req.raw, text, isBodyOptional), 'body'),
    };
    const result = await endpoint.handle(input, { context, caller, request: c.req.raw, text });
    if (result instanceof Response) return result;
    return isEmpty ? new Response(null, { status }) : Response.json(result, { status });
  });
}

/** Parses one part of a request. Throws `usage.bad-input` with every problem. */
function parse(schema: Schema, value: unknown, where: 'path' | 'query' | 'body'): never {
  if (schema === undefined) return undefined as never;
  const { success, data, error } = schema.safeParse(value);
  if (success) return data as never;
  const problems = error.issues.slice(0, maxProblems).map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }));
  const [first] = problems;
  const at = first === undefined || first.path === '' ? '' : ` "${first.path.slice(0, 100)}"`;
  throw new AgentError(
    'usage.bad-input',
    `The ${where} of the request is not valid:${at} ${first?.message ?? ''}`,
    {
      hint: 'Compare the request with /openapi.json.',
      details: { in: where, problems },
    },
  );
}

const maxProblems = 20;

/** Returns the query as single values. A parameter that is repeated becomes a list. */
function singleValues(all: Record<string, string[]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(all).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function readJson(request: Request, text: string, isOptional: boolean | undefined): unknown {
  if (text === '' && isOptional === true) return {};
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new AgentError('usage.bad-input', 'The body of the request must be JSON.', {
      hint: 'Send `Content-Type: application/json`.',
      details: { status: 415 },
    });
  try {
    return JSON.parse(text);
  } catch {
    throw new AgentError('usage.bad-input', 'The body of the request is not valid JSON.', {
      hint: 'Check commas and quotes.',
    });
  }
}

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
}

function noPath(path: string): AgentError {
  return new AgentError('usage.not-found', `The server has nothing at ${path.slice(0, 200)}.`, {
    hint: 'See /openapi.json for all paths.',
  });
}

function wrongMethod(method: string, known: readonly Endpoint[]): AgentError {
  return new AgentError('usage.bad-input', `The path does not support ${method.slice(0, 20)}.`, {
    hint: `Use ${known.map((one) => one.method.toUpperCase()).join(' or ')}.`,
    details: { status: 405 },
  });
}
