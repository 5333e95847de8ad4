/** Texts of replies by rules. */
export const words = {
  greeting: {
    zh: '您好。请说明您的情况，我会记录要点并列出还需要的信息；也可以问我事项的进展。',
    en: 'Hello. Tell me what happened: I note what matters and list what is still needed. You can also ask how the matter stands.',
  },
  collected: { zh: '目前已收集到的信息：', en: 'What has been collected so far:' },
  state: { zh: '事项的进展：', en: 'How the matter stands:' },
  noState: { zh: '这个事项还没有进展记录。', en: 'Nothing has been done in this matter yet.' },
  todo: { zh: '待办', en: 'To do' },
  stillNeeded: { zh: '还需要', en: 'Still needed' },
  remembered: { zh: '与此有关的已有记录：', en: 'What is on record about this:' },
  noMemory: {
    zh: '（已有记录暂时查不到。）',
    en: '(The records can not be looked up at the moment.)',
  },
  elements: { zh: '此类事项需要证明：', en: 'What has to be proved in such a matter:' },
  passages: { zh: '知识库中的相关内容：', en: 'What is on file about this:' },
  general: {
    zh: '以上为一般性的法律信息，不构成法律意见；具体情况请由律师判断。',
    en: 'This is general information, not advice; a lawyer has to look at the case itself.',
  },
  needsAnalysis: {
    absent: {
      zh: '这个问题需要法律分析。目前没有配置语言模型，我无法回答，也不会凭空引用法条；请咨询律师。',
      en: 'This question needs legal analysis. No language model is configured, so I can not answer it, and I will not make up law; please ask a lawyer.',
    },
    failing: {
      zh: '这个问题需要法律分析。语言模型暂时不可用，我现在无法回答，也不会凭空引用法条；请稍后再试，或咨询律师。',
      en: 'This question needs legal analysis. The language model does not answer at the moment, so I can not answer it, and I will not make up law; please try again later or ask a lawyer.',
    },
  },
  notKnown: {
    absent: {
      zh: '这个我不知道：已有的记录里没有，目前也没有配置语言模型。',
      en: 'I do not know: there is nothing on record about it, and no language model is configured.',
    },
    failing: {
      zh: '这个我不知道：已有的记录里没有，语言模型暂时也不可用。',
      en: 'I do not know: there is nothing on record about it, and the language model does not answer at the moment.',
    },
  },
  unverified: {
    zh: '请注意，以下引用未经核实：',
    en: 'Please note that these citations have not been verified: ',
  },
}
