/** Kind of a first message: a case, a question about the law, small talk, or a request for other work. */
export type Reading = 'case' | 'question' | 'small_talk' | 'service'

const smallTalkPattern =
  /^(?:你好|您好|嗨|哈喽|谢谢|多谢|再见|早上好|晚上好|下午好|好的|在吗|在不在|测试|哈{2,}|hi|hello|hey|thanks?|thank you|bye|ok|okay|good (?:morning|afternoon|evening))/iu
const aboutAssistantPattern =
  /你(?:是|叫|能做|会做|几岁|多大)|机器人|天气|笑话|吃饭|\bwho are you\b|what can you do|\bjoke\b|\bweather\b|your name/iu

/** Work outside of court: a verb of the work and its object in one clause. */
const servicePatterns = [
  /(?:审查|审核|审阅|审一下|审下|看看|看一下|起草|草拟|拟定?|撰写|写|修改|制定|出具|准备)[^，。；！？]{0,10}(?:合同|协议|条款|章程|模板|手册|制度|政策|意见书)/u,
  /(?:合同|协议|章程|模板|手册|制度|条款)[^，。；！？]{0,8}(?:审一下|审查|审核|看一下|看看|把关|起草)/u,
  /(?<!我们|已经?|的)(?:注册|设立|成立|开办)[^，。；！？了]{0,6}(?:公司|企业|商标|专利|分公司)|申请[^，。；！？了]{0,6}(?:商标|专利|著作权登记|软著)/u,
  /(?:做|要|需要|想请)[^，。；！？]{0,12}(?:尽职调查|尽调|合规|员工手册|隐私政策|评估)|(?:尽职调查|合规体检|合规检查)/u,
  /发[^，。；！？]{0,6}律师函|代办/u,
  /\b(?:review|draft|write|prepare|check|look over|revise)\b[^.?!;]{0,30}\b(?:contract|agreement|nda|template|policy|terms|handbook)/iu,
  /\b(?:register|set up|incorporate|found|file)\b[^.?!;]{0,25}\b(?:company|trademark|patent|subsidiary)\b/iu,
  /\b(?:need|want)\b[^.?!;]{0,20}\b(?:privacy policy|due diligence|compliance|handbook|nda)\b/iu,
]

/** A review of a contract that exists already. */
const reviewPattern =
  /(?:审查|审核|审阅|审一?下|把关|看看|看一下)[^，。；！？]{0,12}(?:合同|协议|条款)|(?:合同|协议)[^，。；！？]{0,8}(?:审一下|审查|审核|看一下|看看|把关)|\b(?:review|check|look over)\b[^.?!;]{0,30}\b(?:contract|agreement|nda|terms)/iu
const letterPattern = /律师函|催告函|催款函|demand letter|lawyer['’]?s letter/iu

/** Type of a service outside of court that a text asks for; undefined if the checklist does not matter. */
export const serviceTypeIn = (text: string): string | undefined =>
  readMessage(text) === 'service' && reviewPattern.test(text) ? 'contract_review' : undefined

/** True if a text asks for a letter to the other side of a dispute. */
export const asksForLetter = (text: string): boolean => letterPattern.test(text)

/** Something that went wrong between people: the core of a case. */
const grievancePattern =
  /不还|没还|没有还|未还|还不|不退|不给|没给|不付|没付|未付|不肯|不赔|不认|不管|不发|没发|不结|没结|不交|没交|不分|不让|不修|不配合|不回|不接|拖欠|拖了|拖着|欠[我钱款薪租工]|欠了|逾期|断供|跑路|跑了|逃逸|失败|反悔|辞退|辞了|开除|解雇|裁员|起诉|告[我了]|传票|律师函|仲裁了|被[^，。；]{0,8}(?:打|撞|骗|咬|辞|裁|拘|抓|罚|抄|盗|起诉|告|误诊|泡|造谣)|撞[了断]|撞人|打[了成伤]|咬|摔|受伤|骨折|去世|过世|出轨|家暴|霸占|转错|打错|误转|造谣|辱骂|抹黑|侵权|假冒|抄袭|爆炸|起火|漏水|漏电|中毒|短路|烧了|砸|拘留|逮捕|征收|罚了|要离|想离婚|离婚起诉|owes? me|\bsu(?:ed?|ing)\b|won'?t|will not|refus|has(?:n't| not)|haven't|did not|didn't|never|fired|dismissed|laid off|arrested|\bhit\b|rear-ended|bitt?|\bbit\b|broke|slipped|cheated|stole|copied|unpaid|passed away|ignores|blocked|denies|leaked|caught fire|counterfeit/iu
const ownPattern = /我|俺|咱|本人|\b(?:i|my|me|we|our|us|mine)\b/iu
const concretePattern =
  /[\d０-９]{3,}|\d+\s*[万千k]|[一二两三四五六七八九十几半]+(?:万|千|个?月|年|天|块|次|家)|昨[天晚]|前天|去年|今年|上个?[月周]|刚才?|现在|已经|一直|天天|yesterday|last (?:week|month|year)|ago\b|keeps?\b|now\b/iu
const helpPattern = /怎么办|咋办|咋整|怎么应对|能告吗|帮帮我|what (?:should|can) i do|please help/iu
const questionPattern =
  /[?？]\s*$|吗|什么|怎么|怎样|如何|是否|多久|多少|几[年天倍个岁]|多长|哪些|哪个|谁|能不能|可不可以|^(?:what|how|when|where|who|why|can|could|is|are|do|does|should|may|will|which)\b/iu
/** A question about a rule, not about the person's own case. */
const abstractPattern =
  /是什么|什么意思|什么情况|多久|多长|多少|几[年天倍岁]|哪[些个]|区别|不同|规定|怎么计算|如何计算|怎么算|合法吗|有效吗|支持吗|可以[^，。]{0,14}吗|(?<!能)要[^，。]{0,6}吗|顺序|限额|材料|适用|一般|第.{1,8}条|under \w+ law|\bhow (?:is|are|long|much|many)\b|\bwhat (?:is|are|documents)\b|^(?:is|are|do|does|can) (?:an?|the|oral|verbal|employers?|companies|you)\b|usually|generally|in china/iu
const topicPattern =
  /法|合同|孩子|借|欠|债|工资|公司|离婚|车祸|事故|继承|遗|房|租|押金|赔|仲裁|诉|律师|权|股|伤|骗|罪|案|钱|law|legal|contract|court|lawyer|loan|wage|divorce|rent|accident|claim|money|debt/iu

/** Reads a first message by rules. */
export function readMessage(message: string): Reading {
  const text = message.trim()
  if (isSmallTalk(text)) return 'small_talk'
  if (isServiceRequest(text)) return 'service'
  const has = (pattern: RegExp) => Number(pattern.test(text))
  const facts =
    2 * has(ownPattern) + 2 * has(grievancePattern) + has(concretePattern) + 2 * has(helpPattern)
  if (questionPattern.test(text)) return facts - 3 * has(abstractPattern) >= 2 ? 'case' : 'question'
  if (facts > 0 || topicPattern.test(text)) return 'case'
  return isStory(text) ? 'case' : 'small_talk'
}

/** True if a text contains a question. */
export const hasQuestion = (text: string): boolean => questionPattern.test(text)

/** True if a text is read as a case and contains facts of it, not only a request for advice. */
export function containsFacts(text: string): boolean {
  if (readMessage(text) !== 'case') return false
  if (grievancePattern.test(text) || concretePattern.test(text)) return true
  if (inquiryPattern.test(text) || assentPattern.test(text)) return false
  return topicPattern.test(text) || (ownPattern.test(text) && isStory(text))
}

/** Words to the assistant: a yes, or a request to go on. They are no part of the story. */
const assentPattern =
  /确认|同意|没有?问题|(?:请|可以|麻烦)(?:尽快)?(?:交付|继续|生成|发送|出具)|\b(?:I (?:confirm|agree|approve)|looks? good|go ahead|please (?:deliver|continue|proceed|send))\b/iu
const inquiryPattern = /咨询|请教|问(?:一下|问|个)|\b(?:ask|consult|question)\b/iu

const isStory = (text: string) =>
  (text.match(/\p{Script=Han}/gu)?.length ?? 0) >= 10 ||
  (text.match(/\p{Script=Latin}+/gu)?.length ?? 0) >= 6

/** True for greetings, thanks, and questions about the assistant, without a topic of their own. */
function isSmallTalk(text: string): boolean {
  if (!/\p{L}/u.test(text)) return true
  if (topicPattern.test(text) || grievancePattern.test(text)) return false
  if (aboutAssistantPattern.test(text)) return true
  return smallTalkPattern.test(text) && text.length < 30
}

/** A demand letter is work even where a debt is unpaid; other work is not mixed with a grievance. */
const isServiceRequest = (text: string) =>
  servicePatterns.some((pattern) => pattern.test(text)) &&
  (!grievancePattern.test(text) || /发[^，。；！？]{0,6}律师函/u.test(text))
