import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/client';
import { stopLate } from '../core/json/validate.ts';

const patience = 1000; // milliseconds

/** The library's own check of structured content; the schema and the content are both the server's, so it is given up where it does not end. */
export async function createOutputCheck(): Promise<jsonSchemaValidator> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
  const plain = new AjvJsonSchemaValidator();
  return {
    getValidator<Value>(schema: JsonSchemaType): JsonSchemaValidator<Value> {
      const check = stopLate(patience, () => plain.getValidator<Value>(schema));
      return (content) => stopLate(patience, () => check(content));
    },
  };
}
