import { isJsonObject, parseJson, type JsonObject } from '../../core/json.ts';

/** What can be told about a failure, whichever package or server it comes from. */
export interface Fault {
  /** Of HTTP; that of a good answer when it broke off later. */
  readonly status: number | undefined;
  /** In the words of whoever failed; empty when it has none. */
  readonly sentence: string;
  /** Every code, type and class name, in lower case with spaces between. */
  readonly marks: string;
  readonly headers: JsonObject;
  /** The address that was asked. */
  readonly url: string | undefined;
}

const deepest = 6;

/** Reads a failure by its members and not by its class: errors also come as plain objects inside a stream. Never throws. */
export function readFault(thrown: unknown): Fault {
  const chain = chainOf(thrown, deepest);
  const first: JsonObject = chain[0] ?? {};
  return {
    status: chain.map(statusOf).find((status) => status !== undefined),
    sentence: sentenceOf(thrown, first),
    marks: chain.flatMap(marksOf).join(' ').toLowerCase(),
    headers: isJsonObject(first['responseHeaders']) ? first['responseHeaders'] : {},
    url: typeof first['url'] === 'string' ? first['url'] : undefined,
  };
}

/** The failure, then what it holds and what caused it. */
function chainOf(value: unknown, depth: number): readonly JsonObject[] {
  if (!isJsonObject(value) || depth === 0) return [];
  const body = typeof value['responseBody'] === 'string' ? parseJson(value['responseBody']) : undefined;
  return [
    value,
    ...[value['error'], value['data'], body, value['cause']].flatMap((inner) => chainOf(inner, depth - 1)),
  ];
}

function statusOf({ statusCode, code }: JsonObject): number | undefined {
  return [statusCode, code].map(Number).find((number) => number >= 200 && number <= 599);
}

function marksOf({ code, type, status, name, reason }: JsonObject): readonly string[] {
  return [code, type, status, name, reason].filter((mark) => typeof mark === 'string');
}

function sentenceOf(thrown: unknown, fault: JsonObject): string {
  if (typeof thrown === 'string') return thrown;
  const body = fault['responseBody'];
  const inBody = typeof body === 'string' ? sentenceIn(parseJson(body)) : undefined;
  return inBody ?? sentenceIn(fault) ?? '';
}

/** The usual places, most usual first. */
function sentenceIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return sentenceIn(value[0]); // Google
  if (!isJsonObject(value)) return undefined;
  const { error, message, detail } = value;
  const inner = isJsonObject(error) ? sentenceIn(error) : error;
  return [inner, message, detail].find((text) => typeof text === 'string' && text !== '') as
    string | undefined;
}
