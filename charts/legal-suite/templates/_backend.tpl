{{/* Applies the values to the objects of a managed backend and writes them. */}}
{{- define "legal.backend" -}}
{{- $root := .root -}}
{{- $settings := .settings -}}
{{- $replicas := .replicas -}}
{{- range $object := .objects -}}
{{- if eq $object.kind "PersistentVolumeClaim" -}}
{{- include "legal.setVolume" (dict "claim" $object "storage" $settings.storage) -}}
{{- end -}}
{{- if eq $object.kind "StatefulSet" -}}
{{- $template := $object.spec.template -}}
{{- $container := first $template.spec.containers -}}
{{- if $settings.image -}}
{{- range concat $template.spec.containers ($template.spec.initContainers | default list) -}}
{{- $_ := set . "image" $settings.image -}}
{{- end -}}
{{- end -}}
{{- $resources := dict "overrides" $settings.resources "defaults" $container.resources -}}
{{- $_ := set $container "resources" (include "legal.resources" $resources | fromJson) -}}
{{- range $object.spec.volumeClaimTemplates -}}
{{- include "legal.setVolume" (dict "claim" . "storage" $settings.storage) -}}
{{- end -}}
{{- $_ := set $object.spec "replicas" (ternary 0 $replicas ($root.Values.hibernated | default false)) -}}
{{- $_ := set $object.spec.persistentVolumeClaimRetentionPolicy "whenDeleted" ($root.Values.deletionPolicy | default "Retain") -}}
{{- $_ := set $template.metadata "annotations" dict -}}
{{- include "legal.setChecksum" (dict "root" $root "template" $template) -}}
{{- include "legal.setPods" (dict "root" $root "template" $template) -}}
{{- end -}}
{{- include "legal.emit" (dict "root" $root "object" $object "keep" (eq $object.kind "PersistentVolumeClaim")) }}
{{ end -}}
{{- end -}}
