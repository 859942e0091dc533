/** Turns texts into vectors of unit length: the product of two tells how near the meanings of their texts are. */
export interface Embedder {
  /** Model and version: only vectors of one name are comparable. */
  readonly name: string;
  /** The length of every vector. */
  readonly dimensions: number;
  /**
   * One vector per text, in order. Urgent texts go before all others that wait and keep the process alive until
   * they are answered; the others do neither. Rejects with an AgentError, `model.aborted` when the signal said so.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Ends the work; what waits is rejected. May be called twice. */
  close(): Promise<void>;
}

/** How one call is treated among others; by default it is work for the background. */
export interface EmbedOptions {
  /** Someone waits for the answer. */
  readonly urgent?: boolean;
  readonly signal?: AbortSignal;
}
