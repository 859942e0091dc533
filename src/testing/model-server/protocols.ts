import { anthropicMessages } from './anthropic-messages.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Protocol } from './protocol.ts';

/** All that the server speaks. */
export const protocols: readonly Protocol[] = [openaiChat, openaiResponses, anthropicMessages];
