import type { JsonObject } from '../../core/json.ts';
import type { ServedRequest } from './turn.ts';

/** The list of models in the shape that the request asks for; undefined when it asks for something else. */
export function listModels(
  { method, path, headers }: ServedRequest,
  models: readonly string[],
): JsonObject | undefined {
  if (method !== 'GET') return undefined;
  if (path === '/api/tags') return { models: models.map((name) => ({ name, model: name })) }; // Ollama
  if (path !== '/v1/models') return undefined;
  return headers['anthropic-version'] === undefined ? openaiList(models) : anthropicList(models);
}

function openaiList(models: readonly string[]): JsonObject {
  return {
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'script' })),
  };
}

function anthropicList(models: readonly string[]): JsonObject {
  return {
    data: models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2023-11-14T22:13:20Z' })),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  };
}
