import { splitClauses } from './clauses.ts'
import { containsFacts } from './read-message.ts'

export type ClientRole = 'claimant' | 'respondent'

/** The person is claimed against, accused, or did what others complain of. */
const respondentPatterns = [
  /(?:起诉|仲裁|告)了?(?:我|本人|我们|咱)|把我(?:们)?告|我(?:们公司|们|公司)?被[^，。]{0,10}(?:起诉|告)|被起诉|被告了|告商标侵权|应诉|(?<!我|想|要|能|以|去|么|何)起诉要|说我欠/u,
  /(?:收到|接到)[^，。]{0,12}(?:传票|起诉状|应诉|律师函)|发来[^，。]{0,4}(?:催款函|律师函)/u,
  /(?:要|让|叫|找|要求|催)(?:我|我们|本人|我公司|我们公司)[^，。]{0,8}(?:还|赔|付|出钱|退|支付|腾|补|负责|连本带利)|闹着要钱|冻结了我|要扣[^，。]{0,6}押金/u,
  /(?<!我|我们|我方|我司|本人|^|[，。；！？\s])要求(?![他她它其]|对方|被告)[^，。]{0,4}(?:我们|我)?(?:公司)?(?:支付|退全部|赔偿金)|(?<!我|我们|我方|我司|本人)申请仲裁[^。]{0,10}(?:支付|赔偿金)/u,
  /我(?:现在)?(?:还)?欠(?!条)|(?:信用卡|银行|网贷)[^，。]{0,2}欠了|我(?:当时|当年)?(?:向|跟|找(?!到)|问|从)[^，。]{0,8}借(?!条|据)|当年我向/u,
  /^借了(?!.*给)[^，。]{0,12}(?=，已经还)|我借了(?![^，。]{0,14}(?:给|出去))/u,
  /(?:我们|我)(?:公司|单位|厂|店)?(?:拖欠|欠)(?!我)[^，。]{0,4}(?:员工|工人|供应商|货款|工资)/u,
  /我(?:开车|骑车|不小心|倒车)?[^，。被]{0,4}(?:撞了|撞到|打了|打伤)(?:一个|个|一位|人|别人)|(?:把|将)(?:人|对方|别人|邻居)[^，。]{0,4}(?:打|咬|撞)|碰到别人|(?<!被[^，。]{0,8})(?:刮倒|撞倒|碰倒)[^，。我]{0,3}(?:一个|个|人)|判我[主全次同]责/u,
  /(?:我|弟弟|哥哥|儿子|老公|丈夫|父亲|朋友)[^，。]{0,10}被[^，。]{0,6}(?:拘留|逮捕|刑拘|抓了)/u,
  /(?:贷|贷款|房贷|信用卡)[^，。]{0,6}(?:逾期|断供|还不上)(?!.*客户)|(?:房贷|车贷)断供/u,
  /(?:给|帮|替)[^，。]{0,10}(?:做了?|签了?)[^，。]{0,4}(?:担保|保证人)(?!.*追偿)/u,
  /没交物业费，物业|我卖房后反悔|说我(?:们)?[^，。]{0,14}(?:侵权|拖欠|用了|诽谤|太吵)|我(?:家|厂|店)[^，。]{0,10}(?:他|对方|客户)?要我赔/u,
  /合伙人要退伙|客户说[^，。]{0,12}要求退/u,
  /\b(?:is|are|am|was|got|being|gets) su(?:ed|ing)\b(?! him| her| them)|\bsu(?:ed|ing|es) (?:me|us|my company|our company)\b|\bagainst (?:me|us|my company|our company)\b/iu,
  /\bI (?:owe|borrowed|rear-ended|hit|signed as guarantor)\b|filed for divorce|wants to divorce me|wants? (?:me|us) to (?:pay|repay)|\b(?:was|were|am) (?:arrested|detained)|summons/iu,
]
/** The person has a claim of their own. */
const claimantPatterns = [
  /借给|借了[^，。]{0,14}(?:给|出去)|欠我|拖欠我|还我|追偿|要回|追讨|我(?:想|要)[^，。]{0,4}(?:起诉|告|离婚|索赔|复议)/u,
  /我(?!们公司)[^，。]{0,4}被[^，。]{0,8}(?:辞退|解雇|开除|裁|打|撞|骗|咬)|(?:辞退|解雇|开除|撞|打)了?我|不(?:给|发|付|退)我/u,
  /\bI (?:lent|want to sue|would like to sue|was (?:fired|dismissed|laid off|hit|beaten))|owes? me|(?:fired|dismissed|hit) me|pay me\b|my (?:father|mother) passed/iu,
]
/** Returns the side of the person; undefined if the text does not show it. */
export function clientRoleIn(text: string): ClientRole | undefined {
  const matches = (patterns: RegExp[]) => patterns.some((pattern) => pattern.test(text))
  if (matches(respondentPatterns))
    return matches([claimantPatterns[0]!]) ? resolveRole(text) : 'respondent'
  // People mostly write because something was done to them.
  if (matches(claimantPatterns) || containsFacts(text)) return 'claimant'
  return undefined
}

/** Resolves a text that matches both roles by its last clause that matches only one. */
function resolveRole(text: string): ClientRole | undefined {
  for (const clause of splitClauses(text).reverse()) {
    const claims = claimantPatterns.some((pattern) => pattern.test(clause))
    const defends = respondentPatterns.some((pattern) => pattern.test(clause))
    if (claims !== defends) return claims ? 'claimant' : 'respondent'
  }
  return undefined
}
