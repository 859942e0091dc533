/** Whether a header of this name says who asks, and so holds a secret. */
export function isSecretHeader(name: string): boolean {
  return /auth|cookie|token|secret|key|password|credential|session/i.test(name);
}
