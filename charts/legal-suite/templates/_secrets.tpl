{{/*
Generates the Secrets of the release once per rendering. Existing values are kept. Values are in base64, as in the
field `data`. The result is stored in .Values, because all templates have to see the same random values.
*/}}
{{- define "legal.generate" -}}
{{- if not (hasKey .Values "generatedSecrets") -}}
{{- $name := .Release.Name -}}
{{- $values := .Values -}}
{{- $secrets := dict "checksum-key" (dict "key" (randAlphaNum 43)) -}}
{{- if not $values.internalKey -}}
{{- $_ := set $secrets "internal-key" (dict "current" (randAlphaNum 43) "accepted" "") -}}
{{- end -}}
{{- if include "legal.monitored" . -}}{{- $_ := set $secrets "metrics" (dict "token" (randAlphaNum 43)) -}}{{- end -}}
{{- if and $values.gateway $values.gateway.oidc -}}
{{- $_ := set $secrets "gateway-encryption" (dict "key" (randAlphaNum 43)) -}}
{{- end -}}
{{- if eq $values.database.type "Embedded" -}}
{{- $password := randAlphaNum 43 -}}
{{- $url := printf "postgres://legal:%s@%s-postgres:5432/legal" $password $name -}}
{{- $_ := set $secrets "postgres" (dict "password" $password "url" $url) -}}
{{- end -}}
{{- if eq (include "legal.search" .) "Managed" -}}
{{- $_ := set $secrets "qdrant" (dict "api-key" (randAlphaNum 43)) -}}
{{- end -}}
{{- if eq (include "legal.graph" .) "Managed" -}}
{{- $password := randAlphaNum 43 -}}
{{- $_ := set $secrets "neo4j" (dict "password" $password "auth" (printf "neo4j/%s" $password)) -}}
{{- end -}}
{{- range $app, $entries := $secrets -}}
{{- $existing := lookup "v1" "Secret" $.Release.Namespace (printf "%s-%s" $name $app) -}}
{{- range $key, $value := deepCopy $entries -}}{{- $_ := set $entries $key (b64enc $value) -}}{{- end -}}
{{- if $existing -}}{{- $_ := set $secrets $app $existing.data -}}{{- end -}}
{{- end -}}
{{- $_ := set .Values "generatedSecrets" $secrets -}}
{{- end -}}
{{- end -}}

{{/* The value of a Secret entry in base64, or nothing if it does not exist. `id` is name/key. */}}
{{- define "legal.secretValue" -}}
{{- include "legal.generate" .root -}}
{{- $parts := splitn "/" 2 .id -}}
{{- $app := trimPrefix (printf "%s-" .root.Release.Name) $parts._0 -}}
{{- $generated := get .root.Values.generatedSecrets $app -}}
{{- if and $generated (ne $app $parts._0) -}}{{ get $generated $parts._1 }}
{{- else -}}
{{- $secret := lookup "v1" "Secret" .root.Release.Namespace $parts._0 -}}
{{- if $secret -}}{{ get ($secret.data | default dict) $parts._1 }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Digest of a Secret entry, as the operator computes it. */}}
{{- define "legal.secretDigest" -}}
{{- $value := include "legal.secretValue" . -}}
{{- if $value -}}
{{- $key := get (get .root.Values.generatedSecrets "checksum-key") "key" -}}
{{- printf "%s%s" $key $value | sha256sum | printf "%s%s" $key | sha256sum -}}
{{- end -}}
{{- end -}}

{{- define "legal.monitored" -}}
{{- $monitoring := .Values.monitoring | default dict -}}
{{- if or (not (hasKey $monitoring "enabled")) $monitoring.enabled -}}true{{- end -}}
{{- end -}}
{{- define "legal.search" -}}{{ (.Values.search | default dict).type | default "Database" }}{{- end -}}
{{- define "legal.graph" -}}{{ (.Values.graph | default dict).type | default "Disabled" }}{{- end -}}
{{- define "legal.objectStorage" -}}{{ (.Values.objectStorage | default dict).type | default "Volume" }}{{- end -}}
{{- define "legal.scheme" -}}
{{- $gateway := .Values.gateway -}}
{{- if or (hasKey $gateway "tls") (hasKey $gateway "httpRoute") -}}https{{- else -}}http{{- end -}}
{{- end -}}
