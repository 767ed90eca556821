#!/bin/sh
# Build the training image and push it to ECR: trainer/deploy/build.sh [TAG]
# Prints the pushed image with its digest and writes it to image.json, where `guerdon jobs render` reads it;
# the pods tell it to every run, whose run.json records it.
#
#   AWS_REGION, AWS_ACCOUNT_ID   where the repository is
#   BASE_IMAGE                   name@sha256:<64 hex> of a CUDA 13 image
#   EFA_VERSION, EFA_SHA256      of AWS's EFA installer
#   REPOSITORY                   guerdon-trainer by default
#   INSTANCE_TYPE                ml.p5en.48xlarge by default; says which processor the image is for
#   IMAGE_FILE                   image.json in the working folder by default
set -eu

: "${AWS_REGION:?}" "${AWS_ACCOUNT_ID:?}" "${BASE_IMAGE:?}" "${EFA_VERSION:?}" "${EFA_SHA256:?}"
root=$(cd "$(dirname "$0")/../.." && pwd)
tag=${1:-$(git -C "$root" rev-parse --short=12 HEAD)}
repository=${REPOSITORY:-guerdon-trainer}
registry=$AWS_ACCOUNT_ID.dkr.ecr.$AWS_REGION.amazonaws.com
name=$registry/$repository
image_file=${IMAGE_FILE:-image.json}

case $BASE_IMAGE in
    *@sha256:*) ;;
    *)
        echo "BASE_IMAGE $BASE_IMAGE has no digest; docker buildx imagetools inspect $BASE_IMAGE prints it" >&2
        exit 2
        ;;
esac
if [ -n "$(git -C "$root" status --porcelain)" ]; then
    echo "the working tree differs from its commit; an image is built from a commit" >&2
    exit 2
fi
case ${INSTANCE_TYPE:-ml.p5en.48xlarge} in
    ml.p6e-gb*) platform=linux/arm64 ;;
    *) platform=linux/amd64 ;;
esac

aws ecr describe-repositories --region "$AWS_REGION" --repository-names "$repository" >/dev/null 2>&1 ||
    aws ecr create-repository --region "$AWS_REGION" --repository-name "$repository" \
        --image-tag-mutability IMMUTABLE --image-scanning-configuration scanOnPush=true >/dev/null
aws ecr get-login-password --region "$AWS_REGION" |
    docker login --username AWS --password-stdin "$registry"

facts=$(mktemp)
trap 'rm -f "$facts"' EXIT
docker buildx build --platform "$platform" --push --metadata-file "$facts" \
    --build-arg "BASE=$BASE_IMAGE" \
    --build-arg "EFA_VERSION=$EFA_VERSION" \
    --build-arg "EFA_SHA256=$EFA_SHA256" \
    --label "org.opencontainers.image.revision=$(git -C "$root" rev-parse HEAD)" \
    --label "org.opencontainers.image.base.name=$BASE_IMAGE" \
    --tag "$name:$tag" --file "$root/trainer/deploy/Dockerfile" "$root"

digest=$(sed -n 's/.*"containerimage.digest": *"\(sha256:[0-9a-f]*\)".*/\1/p' "$facts" | head -n 1)
if [ -z "$digest" ]; then
    echo "buildx reported no digest of the pushed image" >&2
    exit 1
fi
printf '{"image": "%s@%s", "tag": "%s", "platform": "%s", "base": "%s"}\n' \
    "$name" "$digest" "$tag" "$platform" "$BASE_IMAGE" >"$image_file.tmp"
mv "$image_file.tmp" "$image_file"
echo "$name@$digest"
