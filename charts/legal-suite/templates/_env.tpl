{{/* One variable from a Secret entry, or nothing. */}}
{{- define "legal.secretVariable" -}}
{{- with .ref }}
- name: {{ $.name }}
  valueFrom: { secretKeyRef: { name: {{ .name | quote }}, key: {{ .key | quote }} } }
{{- end }}
{{- end -}}

{{/* Variables from a map. Values that are not set are left out. */}}
{{- define "legal.variables" -}}
{{- range $pair := . }}
{{- $value := last $pair }}
{{- if not (kindIs "invalid" $value) }}
- name: {{ first $pair }}
  value: {{ $value | toString | toJson }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "legal.databaseEnv" -}}
{{- $database := .Values.database -}}
{{- $external := $database.external | default dict -}}
{{- $ref := dict "name" (printf "%s-postgres" .Release.Name) "key" "url" -}}
{{- if eq $database.type "External" -}}{{- $ref = $external.secretRef -}}{{- end -}}
{{- if eq $database.type "CloudNativePG" -}}{{- $ref = dict "name" (printf "%s-pg-app" .Release.Name) "key" "uri" -}}{{- end -}}
{{- include "legal.secretVariable" (dict "name" "DATABASE_URL" "ref" $ref) }}
{{- include "legal.variables" (list
  (list "DATABASE_DRIVER" ($external.driver | default "postgres"))
  (list "NEON_WS_PROXY" $external.websocketProxy)) }}
{{- end -}}

{{- define "legal.searchEnv" -}}
{{- $type := include "legal.search" . -}}
{{- $search := .Values.search | default dict -}}
{{- if eq $type "Database" }}
{{- include "legal.variables" (list (list "KNOWLEDGE_SEARCH_BACKEND" "database") (list "KNOWLEDGE_SEARCH_INDEX" $search.index)) }}
{{- else }}
{{- $url := printf "http://%s-qdrant:6333" .Release.Name }}
{{- $ref := dict "name" (printf "%s-qdrant" .Release.Name) "key" "api-key" }}
{{- if $search.external }}{{- $url = $search.external.url }}{{- $ref = $search.external.apiKeySecretRef }}{{- end }}
{{- include "legal.variables" (list
  (list "KNOWLEDGE_SEARCH_BACKEND" "qdrant")
  (list "KNOWLEDGE_SEARCH_INDEX" $search.index)
  (list "QDRANT_URL" $url)) }}
{{- include "legal.secretVariable" (dict "name" "QDRANT_API_KEY" "ref" $ref) }}
{{- end }}
{{- end -}}

{{- define "legal.graphEnv" -}}
{{- $type := include "legal.graph" . -}}
{{- if eq $type "Disabled" }}
{{- include "legal.variables" (list (list "LEGAL_GRAPH_ENABLED" false)) }}
{{- else }}
{{- $external := .Values.graph.external | default dict }}
{{- $ref := dict "name" (printf "%s-neo4j" .Release.Name) "key" "password" }}
{{- if eq $type "External" }}{{- $ref = $external.passwordSecretRef }}{{- end }}
{{- include "legal.variables" (list
  (list "LEGAL_GRAPH_ENABLED" true)
  (list "NEO4J_URL" ($external.url | default (printf "bolt://%s-neo4j:7687" .Release.Name)))
  (list "NEO4J_USER" $external.user)
  (list "NEO4J_DATABASE" $external.database)) }}
{{- include "legal.secretVariable" (dict "name" "NEO4J_PASSWORD" "ref" $ref) }}
{{- end }}
{{- end -}}

{{/* Each AI endpoint is passed only to the services that call it. */}}
{{- define "legal.aiEnv" -}}
{{- $ai := .root.Values.ai | default dict -}}
{{- if and (eq .service "ai-engine") $ai.model }}
{{- include "legal.variables" (list
  (list "AI_BASE_URL" $ai.model.baseUrl)
  (list "AI_MODEL" $ai.model.model)
  (list "AI_TIMEOUT_MS" (include "legal.milliseconds" $ai.model | fromJson).ms)) }}
{{- include "legal.secretVariable" (dict "name" "AI_API_KEY" "ref" $ai.model.apiKeySecretRef) }}
{{- end }}
{{- if and (eq .service "knowledge") $ai.embedding }}
{{- $dimensions := $ai.embedding.dimensions }}
{{- include "legal.variables" (list
  (list "OPENAI_BASE_URL" $ai.embedding.baseUrl)
  (list "KNOWLEDGE_EMBEDDING_MODEL" $ai.embedding.model)
  (list "KNOWLEDGE_EMBEDDING_DIMS" (ternary (int64 $dimensions) nil (hasKey $ai.embedding "dimensions")))
  (list "KNOWLEDGE_EMBEDDING_QUERY_PREFIX" $ai.embedding.queryPrefix)) }}
{{- include "legal.secretVariable" (dict "name" "OPENAI_API_KEY" "ref" $ai.embedding.apiKeySecretRef) }}
{{- end }}
{{- if and (has .service (list "memory" "knowledge")) $ai.rerank }}
{{- include "legal.variables" (list
  (list "RERANK_URL" $ai.rerank.url)
  (list "RERANK_TIMEOUT_MS" (include "legal.milliseconds" $ai.rerank | fromJson).ms)) }}
{{- end }}
{{- end -}}

{{/* `timeoutSeconds` in milliseconds, as an object without entry if it is not set. */}}
{{- define "legal.milliseconds" -}}
{{- if hasKey . "timeoutSeconds" -}}{"ms":"{{ mul 1000 (int64 .timeoutSeconds) }}"}{{- else -}}{}{{- end -}}
{{- end -}}

{{- define "legal.filesEnv" -}}
{{- if eq (include "legal.objectStorage" .) "Volume" }}
{{- include "legal.variables" (list (list "FILES_STORAGE" "fs") (list "FILES_DIR" "/data/files")) }}
{{- else }}
{{- $s3 := .Values.objectStorage.s3 }}
{{- $credentials := $s3.credentialsSecretRef }}
{{- include "legal.variables" (list
  (list "FILES_STORAGE" "s3")
  (list "S3_BUCKET" $s3.bucket)
  (list "S3_ENDPOINT" $s3.endpoint)
  (list "S3_REGION" $s3.region)
  (list "S3_FORCE_PATH_STYLE" $s3.forcePathStyle)) }}
{{- include "legal.secretVariable" (dict "name" "S3_ACCESS_KEY_ID" "ref" (dict "name" $credentials.name "key" ($credentials.accessKeyIdKey | default "access-key-id"))) }}
{{- include "legal.secretVariable" (dict "name" "S3_SECRET_ACCESS_KEY" "ref" (dict "name" $credentials.name "key" ($credentials.secretAccessKeyKey | default "secret-access-key"))) }}
{{- end }}
{{- with .Values.gateway }}
{{- include "legal.variables" (list (list "FILES_PUBLIC_URL" (printf "%s://%s/files-service" (include "legal.scheme" $) .host))) }}
{{- end }}
{{- end -}}

{{- define "legal.collectorEnv" -}}
{{- $seeds := .Values.seeds | default dict -}}
{{- $packages := join "," ($seeds.packageIds | default list) -}}
{{- include "legal.variables" (list
  (list "SEED_PACKAGE_IDS_ON_STARTUP" (ternary $packages nil (ne $packages "")))
  (list "SEED_RESOURCES_ON_STARTUP" $seeds.resourcesOnStartup)) }}
{{- end -}}

{{- define "legal.gatewayEnv" -}}
{{- with .Values.gateway }}
{{- $oidc := .oidc | default dict }}
{{- $isProxied := or (hasKey . "ingress") (hasKey . "httpRoute") }}
{{- include "legal.variables" (list
  (list "PUBLIC_URL" (printf "%s://%s" (include "legal.scheme" $) .host))
  (list "OIDC_ISSUER" $oidc.issuer)
  (list "OIDC_AUDIENCE" $oidc.audience)
  (list "OIDC_CLIENT_ID" $oidc.clientId)
  (list "GATEWAY_TRUSTED_PROXIES" (ternary "1" nil $isProxied))) }}
{{- include "legal.secretVariable" (dict "name" "OIDC_CLIENT_SECRET" "ref" $oidc.clientSecretRef) }}
{{- if .oidc }}
{{- include "legal.secretVariable" (dict "name" "GATEWAY_ENCRYPTION_KEY" "ref" (dict "name" (printf "%s-gateway-encryption" $.Release.Name) "key" "key")) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The variables of a service: those of the chart, then those of the values, which override them. */}}
{{- define "legal.serviceEnv" -}}
{{- $root := .root -}}
{{- $deno := eq ($root.Values.runtime | default "Node") "Deno" -}}
{{- include "legal.variables" (list
  (list "ENVIRONMENT" ($root.Values.environment | default "production"))
  (list "HOST" "0.0.0.0")
  (list "PORT" 8080)
  (list "MIGRATE" false)
  (list "DENO_DIR" (ternary "/tmp/deno" nil $deno))) }}
{{- include "legal.databaseEnv" $root }}
{{- include "legal.variables" (list (list "INTERNAL_API_KEY_DIR" "/etc/legal-suite/internal-key")) }}
{{- if include "legal.monitored" $root }}
{{- include "legal.secretVariable" (dict "name" "METRICS_TOKEN" "ref" (dict "name" (printf "%s-metrics" $root.Release.Name) "key" "token")) }}
{{- end }}
{{- range $variable := .peers }}
- {{ toJson $variable }}
{{- end }}
{{- if eq .service "knowledge" }}{{- include "legal.searchEnv" $root }}{{- include "legal.graphEnv" $root }}{{- end }}
{{- include "legal.aiEnv" (dict "root" $root "service" .service) }}
{{- if eq .service "files" }}{{- include "legal.filesEnv" $root }}{{- end }}
{{- if eq .service "collector" }}{{- include "legal.collectorEnv" $root }}{{- end }}
{{- if eq .service "gateway" }}{{- include "legal.gatewayEnv" $root }}{{- end }}
{{- range $variable := .custom }}
{{- if $variable.secretKeyRef }}
{{- include "legal.secretVariable" (dict "name" $variable.name "ref" $variable.secretKeyRef) }}
{{- else }}
- name: {{ $variable.name }}
  value: {{ $variable.value | default "" | toJson }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Parses variables. Of those with the same name the last one counts, at the position of the first. */}}
{{- define "legal.env" -}}
{{- $byName := dict -}}
{{- $names := list -}}
{{- range $variable := include "legal.serviceEnv" . | fromYamlArray -}}
{{- if not (hasKey $byName $variable.name) -}}{{- $names = append $names $variable.name -}}{{- end -}}
{{- $_ := set $byName $variable.name $variable -}}
{{- end -}}
{{- $env := list -}}
{{- range $name := $names -}}{{- $env = append $env (get $byName $name) -}}{{- end -}}
{{- toJson $env -}}
{{- end -}}
