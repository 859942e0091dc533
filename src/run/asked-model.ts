import type { Model, ModelRequest, Tier } from '../core/model.ts';

/** A request to the model of a tier. */
export interface AskedModel {
  readonly tier: Tier;
  readonly model: Model | undefined;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}
