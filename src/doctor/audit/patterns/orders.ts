import type { Pattern } from '../pattern.ts';

const hint = 'A skill has no business with this; ask its author, or leave it out.';

/** Sentences that turn a model against the person it works for. */
export const orderPatterns: readonly Pattern[] = [
  {
    id: 'override',
    severity: 'high',
    what: 'The text tells the model to drop the orders it was given.',
    hint,
    find: /\b(?:ignore|disregard|forget|discard|override)\b\s+(?:(?:all|any|every|each|of|the|your|my|these|those|everything|about|in)\s+){0,4}(?:previous|prior|earlier|preceding|above|former|(?<!override the )system)\s+(?:(?:system|safety|security|user|developer|operator|and|or|set|of)\s+){0,3}(?:instructions?|prompts?|rules|guidelines?|directives?|guardrails?|restrictions?|orders|constraints?|polic(?:y|ies))\b|\b(?:ignore|disregard|forget|bypass)\s+(?:all\s+)?(?:of\s+)?your\s+(?:(?:safety|security|system|ethical|original|initial)\s+){0,2}(?:instructions?|rules|guidelines?|directives?|guardrails?|restrictions?|training|programming)\b/gi,
  },
  {
    id: 'override',
    severity: 'medium',
    what: 'The text tells the model that its limits no longer hold.',
    hint,
    find: /\b(?:you are|you're)\s+(?:now\s+)?(?:in\s+)?(?:DAN\b|(?:developer|debug|god|maintenance|jailbreak|unrestricted|admin)\s+mode\b|(?:free|freed|released)\s+(?:of|from)\s+(?:all|any|your)\b)|\b(?:all|every|any)\s+(?:commands?|tools?|actions?|requests?)\s+(?:is|are)\s+(?:now\s+|already\s+)?pre-?(?:approved|authori[sz]ed)\b|\b(?:approval prompts?|safety (?:checks?|filters?|rules)|permission (?:prompts?|checks?))\s+(?:is|are|have been)\s+(?:now\s+)?(?:disabled|turned off|suspended|waived)\b/gi,
    only: 'prose',
  },
  {
    id: 'fake-message',
    severity: 'medium',
    what: 'The text pretends to be a message of the system.',
    hint,
    find: /^[^\w\n]{0,6}(?:SYSTEM|ADMIN|DEVELOPER)[ _-](?:OVERRIDE|MESSAGE|NOTICE|COMMAND|INSTRUCTIONS?)\b[^\n]{0,80}/gm,
    only: 'prose',
  },
  {
    id: 'fake-message',
    severity: 'high',
    what: 'The text pretends to be a message of the system.',
    hint,
    find: /<\|(?:im_start|im_end|system|start_header_id|eot_id|endoftext)\|>[^\n]{0,80}|<<\/?SYS>>|<\/(?:available_skills|system-reminder|system_prompt|skill_content|function_results|tool_result)>/gi,
    near: /\b(?:you (?:are|must|will|have|should)|system|instructions?|approved?|ignore|execute)\b/i,
    only: 'prose',
  },
  {
    id: 'concealment',
    severity: 'high',
    what: 'The model is told to hide what it does from the user.',
    hint,
    find: /\b(?:do not|don['’]t|never|must not|should not|without)\s+(?:ever\s+)?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|let(?:ting)?)\s+(?:the\s+|your\s+|any\s+)?(?:user|human|operator|owner|person|anyone|anybody)s?\b(?!\s+(?:to|how|unless|until|if|when|you|they|it['’]?s|yet)\b)[^\n.]{0,60}/gi,
    near: /\b(?:send|post|upload|curl|wget|https?:|exfiltrat\w*|credentials?|secrets?|tokens?|keys?|\.env|\.ssh|execute|run|install|download|copy|append|write)\b/i,
    unless: /\b(?:error|fail(?:s|ed|ure)?|progress|internal|confus\w*|jargon|technical)\b/i,
    only: 'prose',
  },
  {
    id: 'concealment',
    severity: 'medium',
    what: 'The model is told to hide what it does from the user.',
    hint,
    find: /\b(?:do not|don['’]t|never|must not|without)\s+(?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|report(?:ing)?)\s+(?:this|these|that|the|any of this|it)\s+(?:(?:step|change|action|file|command|request|call|upload|instruction|section|line|edit|script|note)s?\b)[^\n.]{0,40}|\b(?:the\s+)?user\s+(?:does(?:n['’]t| not)\s+need\s+to|must\s+(?:not|never)|should\s*(?:not|n['’]t|never))\s+(?:know|see|notice|be\s+(?:told|informed|aware))\b[^\n.]{0,60}|\b(?:secretly|covertly|surreptitiously)\s+(?:\w+\s+){0,3}(?:send|upload|post|forward|copy|run|execute|download|install|transmit|record|collect)\b|\bsilently\s+(?:send|upload|post|forward|exfiltrate|transmit|collect)\b|\bwithout\s+(?:the\s+)?(?:user|owner|operator)(?:['’]s)?\s+(?:knowledge|knowing|noticing|awareness|consent)\b/gi,
    only: 'prose',
  },
];
